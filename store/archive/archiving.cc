#include "store/archive/archiving.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "store/archive/archive_owner.h"
#include "store/archive/due_blobs.h"
#include "store/archive/no_archive.h"
#include "store/delta/held_blob.h"
#include "store/rows/backup_lease.h"
#include "store/sql/blob_bytes.h"
#include "store/sql/blob_rows.h"
#include "store/sql/database.h"
#include "store/sql/properties.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {
namespace {

using sql::Session;

// Limit per segment: each blob takes a row in the same transaction.
constexpr size_t kMostBlobs = 4'000;
// Limit for writing a segment: without a row it is removed after a day (compaction.h).
constexpr absl::Duration kMostTime = absl::Hours(12);

absl::Status AddArchivedBlobs(Session& session, const sql::Dialect& dialect, int64_t segment_id,
                              const std::vector<SegmentBlob>& blobs) {
  std::vector<std::vector<std::string>> table;
  for (const SegmentBlob& blob : blobs) {
    table.push_back({blob.name, absl::StrCat(blob.first_byte), absl::StrCat(blob.length)});
  }
  return session.Execute(
      absl::StrCat(
          "INSERT INTO archived_blob (name, segment_id, first_byte, length) SELECT item ->> 0, "
          "CAST($2 AS bigint), CAST(item ->> 1 AS bigint), CAST(item ->> 2 AS bigint) FROM ",
          dialect.list, " ORDER BY position"),
      {sql::JsonTable(table), segment_id});
}

// Those of the segment's blobs that are in the store whole; from now on nobody changes that.
absl::StatusOr<std::vector<SegmentBlob>> LockWhole(Session& session, const sql::Dialect& dialect,
                                                   const std::vector<SegmentBlob>& blobs) {
  std::vector<BlobName> names;
  for (const SegmentBlob& blob : blobs) names.push_back(blob.name);
  const absl::StatusOr<std::vector<BlobName>> locked = sql::LockBlobs(session, dialect, names);
  if (!locked.ok()) return locked.status();
  const absl::StatusOr<std::vector<BlobName>> whole = FindWhole(session, dialect, *locked);
  if (!whole.ok()) return whole.status();
  const absl::flat_hash_set<BlobName> are_whole(whole->begin(), whole->end());
  std::vector<SegmentBlob> left;
  std::copy_if(blobs.begin(), blobs.end(), std::back_inserter(left),
               [&](const SegmentBlob& blob) { return are_whole.contains(blob.name); });
  return left;
}

}  // namespace

// What goes into one segment, and up to which target all is archived then.
struct Archiving::Step {
  std::vector<DueBlob> blobs;
  int64_t done_target = 0;
};

absl::StatusOr<ArchiveResult> Archiving::FillOne(const ArchiveOptions& options,
                                                 const Step& step) const {
  const absl::Time begun = options.now();
  absl::Status backup =
      database_->Read([&](Session& session) { return CheckNoBackup(session, options.now()); });
  if (!backup.ok()) return backup;
  SegmentWriter writer;
  for (const DueBlob& due : step.blobs) {
    const absl::StatusOr<HeldBlob> held = ReadSoundBlob(*database_, *bytes_, due.name);
    if (absl::IsDataLoss(held.status()) || absl::IsNotFound(held.status())) continue;
    if (!held.ok()) return held.status();
    if (!held->is_delta) writer.Add(due.name, held->bytes);
  }
  WrittenSegment segment;
  if (!writer.blobs().empty()) {
    absl::StatusOr<WrittenSegment> put = PutSegment(*archive_, std::move(writer));
    if (!put.ok()) return put.status();
    segment = *std::move(put);
  }
  std::vector<BlobName> names;
  const absl::StatusOr<ArchiveResult> archived =
      sql::WriteIn(*database_, [&](Session& session) -> absl::StatusOr<ArchiveResult> {
        names.clear();
        ArchiveResult one;
        absl::Status status = CheckNoBackup(session, options.now());
        if (!status.ok()) return status;
        if (options.now() - begun > kMostTime) {
          return absl::UnavailableError("filling a segment took too long: try again");
        }
        const absl::StatusOr<std::vector<SegmentBlob>> whole =
            LockWhole(session, database_->dialect(), segment.blobs);
        if (!whole.ok()) return whole.status();
        if (!whole->empty()) {
          const absl::StatusOr<int64_t> id = AddSegment(session, segment, options.now());
          if (!id.ok()) return id.status();
          status = AddArchivedBlobs(session, database_->dialect(), *id, *whole);
          one.segments = 1;
        }
        for (const SegmentBlob& blob : *whole) {
          if (status.ok()) status = session.RemoveBlobBytes(blob.name);
          names.push_back(blob.name);
          ++one.blobs;
          one.bytes += blob.length;
        }
        if (status.ok()) status = sql::SetProperty(session, sql::kArchivedTarget, step.done_target);
        if (!status.ok()) return status;
        return one;
      });
  if (!archived.ok()) return archived;
  // Somebody else was faster.
  if (archived->segments == 0 && !segment.object.empty()) {
    if (absl::Status status = archive_->Delete(segment.object); !status.ok()) return status;
  }
  // Files outside of the database are removed after the transaction: a concurrent reader finds
  // either the file or the row.
  const absl::StatusOr<sql::RemovedBytes> removed =
      bytes_->RemoveUnnamed(names, absl::InfiniteFuture());
  if (!removed.ok()) return removed.status();
  return archived;
}

Archiving::Archiving(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes,
                     std::shared_ptr<ObjectStore> archive)
    : database_(std::move(database)), bytes_(std::move(bytes)), archive_(std::move(archive)) {}

absl::StatusOr<ArchiveResult> Archiving::Archive(const ArchiveOptions& options) const {
  if (!has_archive()) return NoArchiveIsNamed();
  if (absl::Status status = ClaimArchive(*database_, *archive_); !status.ok()) return status;
  const absl::StatusOr<int64_t> after = sql::ReadIn(*database_, [](Session& session) {
    return sql::ReadProperty(session, sql::kArchivedTarget);
  });
  if (!after.ok()) return after.status();
  ArchiveResult all;
  DueBlobs due(*database_, options.now() - options.older_than, options.targets_at_once);
  std::deque<DueBlob> waiting;
  uint64_t waiting_bytes = 0;
  int64_t looked_at = options.from_start ? 0 : *after;
  for (bool more = true;;) {
    while (more && waiting_bytes < options.segment_bytes) {
      const absl::StatusOr<DuePage> page = due.After(looked_at);
      if (!page.ok()) return page.status();
      more = page->targets > 0;
      looked_at = page->last;
      all.targets += page->targets;
      for (const DueBlob& blob : page->blobs) {
        waiting.push_back(blob);
        waiting_bytes += blob.size;
      }
      if (absl::Status paused = options.pause(all); !paused.ok()) return paused;
    }
    const bool is_full = waiting_bytes >= options.segment_bytes;
    Step step;
    uint64_t bytes = 0;
    while (!waiting.empty() && (is_full || !options.only_full) && bytes < options.segment_bytes &&
           step.blobs.size() < kMostBlobs) {
      bytes += waiting.front().size;
      step.blobs.push_back(std::move(waiting.front()));
      waiting.pop_front();
    }
    waiting_bytes -= bytes;
    // The remaining blobs of a partly archived target are found again.
    step.done_target = waiting.empty() ? looked_at : waiting.front().target_id - 1;
    const absl::StatusOr<ArchiveResult> one = FillOne(options, step);
    if (!one.ok()) return one.status();
    all.segments += one->segments;
    all.blobs += one->blobs;
    all.bytes += one->bytes;
    if (step.blobs.empty() || (waiting.empty() && !more)) return all;
    if (absl::Status paused = options.pause(all); !paused.ok()) return paused;
  }
}

absl::Status Archiving::TakeOver(const Actor& by, absl::Time now) const {
  if (!has_archive()) return NoArchiveIsNamed();
  return TakeArchiveOver(*database_, *archive_, by, now);
}

}  // namespace gprofhub::store
