#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "store/shelving/no_shelf.h"
#include "store/shelving/shelving.h"
#include "store/sql/audit_rows.h"
#include "store/sql/blob_bytes.h"
#include "store/sql/blob_rows.h"
#include "store/sql/database.h"
#include "store/sql/properties.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {
namespace {

using sql::Session;

constexpr uint32_t kBoxesAtOnce = 100;

// Makes those blobs whole that are still archived.
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

absl::StatusOr<BroughtBack> Shelving::EmptyOne(const BoxRow& box) const {
  const absl::StatusOr<BoxContents> contents = ReadContents(*database_, *shelf_, box);
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
    back.boxes = 1;
  }
  back.damaged = contents->damaged;
  return back;
}

absl::StatusOr<BroughtBack> Shelving::BringBack(const BringBackOptions& options,
                                                const Actor& by) const {
  if (!has_shelf()) return NoShelfIsNamed();
  BroughtBack all;
  for (int64_t after = 0;;) {
    const absl::StatusOr<std::vector<BoxRow>> boxes = sql::ReadIn(
        *database_, [&](Session& session) { return ListBoxes(session, after, kBoxesAtOnce); });
    if (!boxes.ok()) return boxes.status();
    if (boxes->empty()) break;
    for (const BoxRow& box : *boxes) {
      const absl::StatusOr<BroughtBack> one = EmptyOne(box);
      if (!one.ok()) return one.status();
      all.boxes += one->boxes;
      all.blobs += one->blobs;
      all.bytes += one->bytes;
      all.damaged += one->damaged;
      if (absl::Status paused = options.pause(all); !paused.ok()) return paused;
    }
    after = boxes->back().id;
  }
  // The next archiving begins with the oldest target.
  absl::Status status = database_->Write([&](Session& session) {
    absl::Status set = sql::SetProperty(session, sql::kShelvedTarget, 0);
    if (!set.ok()) return set;
    return sql::AddAuditRow(session, by,
                            {"", "shelf.bring-back", absl::StrCat(all.blobs, " blobs"),
                             absl::StrCat(all.bytes, " bytes")},
                            options.now());
  });
  if (!status.ok()) return status;
  return all;
}

}  // namespace gprofhub::store
