#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "store/archive/archiving.h"
#include "store/archive/no_archive.h"
#include "store/sql/audit_rows.h"
#include "store/sql/blob_bytes.h"
#include "store/sql/blob_rows.h"
#include "store/sql/database.h"
#include "store/sql/properties.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {
namespace {

using sql::Session;

constexpr uint32_t kSegmentsAtOnce = 100;

// Makes those of the blobs whole that are archived still.
absl::StatusOr<BroughtBack> PutBack(Session& session, const sql::Dialect& dialect,
                                    const std::vector<Blob>& blobs) {
  absl::flat_hash_map<BlobName, const Blob*> by_name;
  std::vector<BlobName> names;
  for (const Blob& blob : blobs) {
    by_name[blob.name] = &blob;
    names.push_back(blob.name);
  }
  const absl::StatusOr<std::vector<BlobName>> locked = sql::LockBlobs(session, dialect, names);
  if (!locked.ok()) return locked.status();
  BroughtBack back;
  for (const BlobName& name : *locked) {
    if (absl::Status status = session.AddBlob(*by_name[name]); !status.ok()) return status;
    ++back.blobs;
    back.bytes += by_name[name]->bytes.size();
  }
  return back;
}

}  // namespace

absl::StatusOr<BroughtBack> Archiving::EmptyOne(const SegmentRow& segment) const {
  const absl::StatusOr<SegmentContents> contents = ReadContents(*database_, *archive_, segment);
  if (!contents.ok()) return contents.status();
  BroughtBack back;
  if (!contents->blobs.empty()) {
    std::vector<const Blob*> blobs;
    for (const Blob& blob : contents->blobs) blobs.push_back(&blob);
    if (absl::Status status = bytes_->Stage(blobs); !status.ok()) return status;
    const absl::StatusOr<BroughtBack> put = sql::WriteIn(*database_, [&](Session& session) {
      return PutBack(session, database_->dialect(), contents->blobs);
    });
    if (!put.ok()) return put.status();
    back = *put;
    back.segments = 1;
  }
  back.damaged = contents->damaged;
  return back;
}

absl::StatusOr<BroughtBack> Archiving::BringBack(const BringBackOptions& options,
                                                 const Actor& by) const {
  if (!has_archive()) return NoArchiveIsNamed();
  BroughtBack all;
  for (int64_t after = 0;;) {
    const absl::StatusOr<std::vector<SegmentRow>> segments = sql::ReadIn(
        *database_,
        [&](Session& session) { return ListSegments(session, after, kSegmentsAtOnce); });
    if (!segments.ok()) return segments.status();
    if (segments->empty()) break;
    for (const SegmentRow& segment : *segments) {
      const absl::StatusOr<BroughtBack> one = EmptyOne(segment);
      if (!one.ok()) return one.status();
      all.segments += one->segments;
      all.blobs += one->blobs;
      all.bytes += one->bytes;
      all.damaged += one->damaged;
      if (absl::Status paused = options.pause(all); !paused.ok()) return paused;
    }
    after = segments->back().id;
  }
  // Who archives again begins with the oldest.
  absl::Status status = database_->Write([&](Session& session) {
    absl::Status set = sql::SetProperty(session, sql::kArchivedTarget, 0);
    if (!set.ok()) return set;
    return sql::AddAuditRow(session, by,
                            {"", "archive.bring-back", absl::StrCat(all.blobs, " blobs"),
                             absl::StrCat(all.bytes, " bytes")},
                            options.now());
  });
  if (!status.ok()) return status;
  return all;
}

}  // namespace gprofhub::store
