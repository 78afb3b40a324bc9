#include "store/archive/archiving.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "store/archive/held_blob.h"
#include "store/archive/segments.h"
#include "store/records/records.h"
#include "store/rows/summaries.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

namespace {

// Finds the blobs to archive, in the order of the targets that refer to them.

struct DueBlob {
  BlobName name;
  uint64_t size = 0;
  int64_t target_id = 0;
};

// The blobs of the next page of targets.
struct DuePage {
  uint64_t targets = 0;  // 0: no further target is old enough
  int64_t last = 0;      // id of the last target
  std::vector<DueBlob> blobs;
};

// A blob is due with the newest target that refers to it: old blobs that were sent again recently
// are read as often as new ones.
class DueBlobs {
 public:
  // Targets are due up to the first whose run was received after `before`.
  DueBlobs(sql::Database& database, absl::Time before, uint32_t targets_at_once)
      : database_(database), before_(before), targets_at_once_(targets_at_once) {}

  absl::StatusOr<DuePage> After(int64_t target_id);

 private:
  absl::StatusOr<DuePage> FindIn(sql::Session& session, int64_t target_id);
  // Finds the newest targets of blobs that are not in `newest_`.
  absl::Status LearnNewest(sql::Session& session, const std::vector<DueBlob>& blobs);

  sql::Database& database_;
  const absl::Time before_;
  const uint32_t targets_at_once_;
  // Cache of the newest target of each blob. Every run of every test refers to a library's symbols,
  // and finding the newest reads all these rows.
  absl::flat_hash_map<BlobName, int64_t> newest_;
};

using sql::Row;
using sql::Rows;
using sql::Session;

// What is smaller stays: the row of an archived blob, its keys and its place in the indexes take a
// third of that.
constexpr int64_t kLeastBytes = 1024;
// Limit on cached names with their newest targets: about 15 MB.
constexpr size_t kMostNames = 100'000;

std::string BlobsOfTarget() {
  return absl::StrCat("SELECT DISTINCT name, size FROM (", sql::kNamedByTarget,
                      ") AS named JOIN blob USING (name) WHERE size >= $2 AND ", sql::kIsWhole,
                      " ORDER BY name");
}

std::string NewestTargets(const sql::Dialect& dialect) {
  return absl::StrCat(
      "SELECT item ->> 0, (SELECT max(target_id) FROM ("
      "SELECT max(execution.target_id) AS target_id FROM image "
      "JOIN execution ON execution.id = image.execution_id WHERE image.bundle = item ->> 0 "
      "UNION ALL SELECT max(execution.target_id) FROM profile "
      "JOIN execution ON execution.id = profile.execution_id WHERE profile.gmon = item ->> 0 "
      "UNION ALL SELECT max(target.id) FROM target WHERE target.computed = item ->> 0) AS named) "
      "FROM ",
      dialect.list);
}

absl::Status DueBlobs::LearnNewest(Session& session, const std::vector<DueBlob>& blobs) {
  if (newest_.size() > kMostNames) newest_.clear();
  std::vector<BlobName> unknown;
  for (const DueBlob& blob : blobs) {
    if (!newest_.contains(blob.name)) unknown.push_back(blob.name);
  }
  if (unknown.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Rows rows,
                   session.Query(NewestTargets(database_.dialect()), {sql::JsonColumn(unknown)}));
  for (const Row& row : rows) newest_[row.Text(0)] = row.Number(1);
  return absl::OkStatus();
}

absl::StatusOr<DuePage> DueBlobs::FindIn(Session& session, int64_t target_id) {
  DuePage page = {0, target_id, {}};
  ASSIGN_OR_RETURN(
      const Rows targets,
      session.Query(
          "SELECT target.id, run.received_us FROM target JOIN run ON run.id = target.run_id "
          "WHERE target.id > $1 ORDER BY target.id LIMIT $2",
          {target_id, int64_t{targets_at_once_}}));
  std::vector<DueBlob> all;
  for (const Row& target : targets) {
    if (target.Number(1) > absl::ToUnixMicros(before_)) break;
    page.last = target.Number(0);
    ++page.targets;
    ASSIGN_OR_RETURN(const Rows blobs, session.Query(BlobsOfTarget(), {page.last, kLeastBytes}));
    for (const Row& blob : blobs) {
      all.push_back({blob.Text(0), static_cast<uint64_t>(blob.Number(1)), page.last});
    }
  }
  RETURN_IF_ERROR(LearnNewest(session, all));
  for (DueBlob& blob : all) {
    if (newest_[blob.name] == blob.target_id) page.blobs.push_back(std::move(blob));
  }
  return page;
}

absl::StatusOr<DuePage> DueBlobs::After(int64_t target_id) {
  ASSIGN_OR_RETURN(DuePage page, sql::ReadIn(database_, [&](Session& session) {
                     return FindIn(session, target_id);
                   }));
  // A blob that was returned is not queried again.
  for (const DueBlob& blob : page.blobs) newest_.erase(blob.name);
  return page;
}

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
  ASSIGN_OR_RETURN(const std::vector<BlobName> locked, sql::LockBlobs(session, dialect, names));
  ASSIGN_OR_RETURN(const std::vector<BlobName> whole, FindWhole(session, dialect, locked));
  const absl::flat_hash_set<BlobName> are_whole(whole.begin(), whole.end());
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
  RETURN_IF_ERROR(
      database_->Read([&](Session& session) { return CheckNoBackup(session, options.now()); }));
  SegmentWriter writer;
  for (const DueBlob& due : step.blobs) {
    const absl::StatusOr<HeldBlob> held = ReadSoundBlob(*database_, *bytes_, due.name);
    if (absl::IsDataLoss(held.status()) || absl::IsNotFound(held.status())) continue;
    if (!held.ok()) return held.status();
    if (!held->is_delta) writer.Add(due.name, held->bytes);
  }
  WrittenSegment segment;
  if (!writer.blobs().empty()) {
    ASSIGN_OR_RETURN(WrittenSegment put, PutSegment(*archive_, std::move(writer)));
    segment = std::move(put);
  }
  std::vector<BlobName> names;
  const absl::StatusOr<ArchiveResult> archived =
      sql::WriteIn(*database_, [&](Session& session) -> absl::StatusOr<ArchiveResult> {
        names.clear();
        ArchiveResult one;
        RETURN_IF_ERROR(CheckNoBackup(session, options.now()));
        if (options.now() - begun > kMostTime) {
          return absl::UnavailableError("filling a segment took too long; try again");
        }
        ASSIGN_OR_RETURN(const std::vector<SegmentBlob> whole,
                         LockWhole(session, database_->dialect(), segment.blobs));
        if (!whole.empty()) {
          ASSIGN_OR_RETURN(const int64_t id, AddSegment(session, segment, options.now()));
          RETURN_IF_ERROR(AddArchivedBlobs(session, database_->dialect(), id, whole));
          one.segments = 1;
        }
        for (const SegmentBlob& blob : whole) {
          RETURN_IF_ERROR(session.RemoveBlobBytes(blob.name));
          names.push_back(blob.name);
          ++one.blobs;
          one.bytes += blob.length;
        }
        RETURN_IF_ERROR(sql::SetProperty(session, sql::kArchivedTarget, step.done_target));
        return one;
      });
  if (!archived.ok()) return archived;
  // Somebody else was faster.
  if (archived->segments == 0 && !segment.object.empty()) {
    RETURN_IF_ERROR(archive_->Delete(segment.object));
  }
  // Files outside of the database are removed after the transaction: a concurrent reader finds
  // either the file or the row.
  RETURN_IF_ERROR(bytes_->RemoveUnnamed(names, absl::InfiniteFuture()).status());
  return archived;
}

Archiving::Archiving(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes,
                     std::shared_ptr<ObjectStore> archive)
    : database_(std::move(database)), bytes_(std::move(bytes)), archive_(std::move(archive)) {}

absl::StatusOr<ArchiveResult> Archiving::Archive(const ArchiveOptions& options) const {
  if (!has_archive()) return NoArchiveIsNamed();
  RETURN_IF_ERROR(ClaimArchive(*database_, *archive_));
  ASSIGN_OR_RETURN(const int64_t after, sql::ReadIn(*database_, [](Session& session) {
                     return sql::ReadProperty(session, sql::kArchivedTarget);
                   }));
  ArchiveResult all;
  DueBlobs due(*database_, options.now() - options.older_than, options.targets_at_once);
  std::deque<DueBlob> waiting;
  uint64_t waiting_bytes = 0;
  int64_t looked_at = options.from_start ? 0 : after;
  for (bool more = true;;) {
    while (more && waiting_bytes < options.segment_bytes) {
      ASSIGN_OR_RETURN(const DuePage page, due.After(looked_at));
      more = page.targets > 0;
      looked_at = page.last;
      all.targets += page.targets;
      for (const DueBlob& blob : page.blobs) {
        waiting.push_back(blob);
        waiting_bytes += blob.size;
      }
      RETURN_IF_ERROR(options.pause(all));
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
    ASSIGN_OR_RETURN(const ArchiveResult one, FillOne(options, step));
    all.segments += one.segments;
    all.blobs += one.blobs;
    all.bytes += one.bytes;
    if (step.blobs.empty() || (waiting.empty() && !more)) return all;
    RETURN_IF_ERROR(options.pause(all));
  }
}

absl::Status Archiving::TakeOver(const Actor& by, absl::Time now) const {
  if (!has_archive()) return NoArchiveIsNamed();
  return TakeArchiveOver(*database_, *archive_, by, now);
}

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
  ASSIGN_OR_RETURN(const std::vector<BlobName> locked, sql::LockBlobs(session, dialect, names));
  BroughtBack back;
  for (const BlobName& name : locked) {
    RETURN_IF_ERROR(session.AddBlob(*by_name[name]));
    ++back.blobs;
    back.bytes += by_name[name]->bytes.size();
  }
  return back;
}

}  // namespace

absl::StatusOr<BroughtBack> Archiving::EmptyOne(const SegmentRow& segment) const {
  ASSIGN_OR_RETURN(const SegmentContents contents, ReadContents(*database_, *archive_, segment));
  BroughtBack back;
  if (!contents.blobs.empty()) {
    std::vector<const Blob*> blobs;
    for (const Blob& blob : contents.blobs) blobs.push_back(&blob);
    RETURN_IF_ERROR(bytes_->Stage(blobs));
    ASSIGN_OR_RETURN(const BroughtBack put, sql::WriteIn(*database_, [&](Session& session) {
                       return PutBack(session, database_->dialect(), contents.blobs);
                     }));
    back = put;
    back.segments = 1;
  }
  back.damaged = contents.damaged;
  return back;
}

absl::StatusOr<BroughtBack> Archiving::BringBack(const BringBackOptions& options,
                                                 const Actor& by) const {
  if (!has_archive()) return NoArchiveIsNamed();
  BroughtBack all;
  for (int64_t after = 0;;) {
    ASSIGN_OR_RETURN(const std::vector<SegmentRow> segments,
                     sql::ReadIn(*database_, [&](Session& session) {
                       return ListSegments(session, after, kSegmentsAtOnce);
                     }));
    if (segments.empty()) break;
    for (const SegmentRow& segment : segments) {
      ASSIGN_OR_RETURN(const BroughtBack one, EmptyOne(segment));
      all.segments += one.segments;
      all.blobs += one.blobs;
      all.bytes += one.bytes;
      all.damaged += one.damaged;
      RETURN_IF_ERROR(options.pause(all));
    }
    after = segments.back().id;
  }
  // Who archives again begins with the oldest.
  RETURN_IF_ERROR(database_->Write([&](Session& session) {
    RETURN_IF_ERROR(sql::SetProperty(session, sql::kArchivedTarget, 0));
    return sql::AddAuditRow(session, by,
                            {"", "archive.bring-back", absl::StrCat(all.blobs, " blobs"),
                             absl::StrCat(all.bytes, " bytes")},
                            options.now());
  }));
  return all;
}

}  // namespace gprofhub::store
