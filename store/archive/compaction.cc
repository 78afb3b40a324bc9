#include "store/archive/compaction.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "store/archive/segments.h"
#include "store/sql/database.h"

namespace gprofhub::store {

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

// Somebody may have put it there and be about to add its row.
constexpr absl::Duration kUnnamedStays = absl::Hours(24);

bool IsSparse(const SegmentRow& segment) {
  return segment.needed_bytes > 0 && segment.needed_bytes < segment.blob_bytes / 2;
}

// What is to be put into one new segment.
class Moving {
 public:
  Moving(sql::Database& database, ObjectStore& archive) : database_(database), archive_(archive) {}

  uint64_t bytes() const { return filler_.blob_bytes(); }

  absl::Status Take(const SegmentRow& segment) {
    ASSIGN_OR_RETURN(const SegmentContents contents, ReadContents(database_, archive_, segment));
    for (const Blob& blob : contents.blobs) {
      filler_.Add(blob.name, blob.bytes);
      from_[blob.name] = segment.id;
    }
    return absl::OkStatus();
  }

  absl::Status Finish(absl::Time now, CompactionResult& compacted) {
    if (from_.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const WrittenSegment segment, PutSegment(archive_, std::move(filler_)));
    std::vector<std::vector<std::string>> table;
    for (const SegmentBlob& blob : segment.blobs) {
      table.push_back({blob.name, absl::StrCat(from_[blob.name]), absl::StrCat(blob.first_byte)});
    }
    const absl::StatusOr<Rows> moved =
        sql::WriteIn(database_, [&](Session& session) -> absl::StatusOr<Rows> {
          ASSIGN_OR_RETURN(const int64_t id, AddSegment(session, segment, now));
          return session.Query(
              absl::StrCat(
                  "UPDATE archived_blob SET segment_id = $2, "
                  "first_byte = CAST(item ->> 2 AS bigint) FROM ",
                  database_.dialect().list,
                  " WHERE archived_blob.name = item ->> 0 "
                  "AND archived_blob.segment_id = CAST(item ->> 1 AS bigint) RETURNING length"),
              {sql::JsonTable(table), id});
        });
    if (!moved.ok()) return moved.status();
    for (const Row& row : *moved) {
      ++compacted.moved;
      compacted.moved_bytes += static_cast<uint64_t>(row.Number(0));
    }
    filler_ = SegmentWriter();
    from_.clear();
    return absl::OkStatus();
  }

 private:
  sql::Database& database_;
  ObjectStore& archive_;
  SegmentWriter filler_;
  absl::flat_hash_map<BlobName, int64_t> from_;  // the segments that the blobs lie in
};

// Those of the objects that rows name.
absl::StatusOr<absl::flat_hash_set<std::string>> Named(Session& session,
                                                       const sql::Dialect& dialect,
                                                       const std::vector<std::string>& objects) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(
          absl::StrCat("SELECT object FROM segment WHERE object IN (SELECT item ->> 0 FROM ",
                       dialect.list, ")"),
          {sql::JsonColumn(objects)}));
  absl::flat_hash_set<std::string> named;
  for (const Row& row : rows) named.insert(row.Text(0));
  return named;
}

}  // namespace

absl::Status Compaction::Move(const CompactionOptions& options, CompactionResult& compacted) const {
  Moving moving(*database_, *archive_);
  for (int64_t after = 0;;) {
    ASSIGN_OR_RETURN(const std::vector<SegmentRow> segments,
                     sql::ReadIn(*database_, [&](Session& session) {
                       return ListSegments(session, after, options.segments_at_once);
                     }));
    if (segments.empty()) return moving.Finish(options.now(), compacted);
    for (const SegmentRow& segment : segments) {
      if (!IsSparse(segment)) continue;
      absl::Status status = moving.Take(segment);
      if (status.ok() && moving.bytes() >= options.segment_bytes) {
        status = moving.Finish(options.now(), compacted);
      }
      if (status.ok()) status = options.pause();
      if (!status.ok()) return status;
    }
    after = segments.back().id;
    RETURN_IF_ERROR(options.pause());
  }
}

absl::Status Compaction::Mark(const CompactionOptions& options, CompactionResult& compacted) const {
  for (int64_t after = 0;;) {
    ASSIGN_OR_RETURN(const std::vector<SegmentRow> segments,
                     sql::ReadIn(*database_, [&](Session& session) {
                       return ListSegments(session, after, options.segments_at_once);
                     }));
    if (segments.empty()) return absl::OkStatus();
    std::vector<int64_t> unused;
    for (const SegmentRow& segment : segments) {
      if (segment.needed_bytes == 0 && !segment.is_unused) unused.push_back(segment.id);
    }
    if (!unused.empty()) {
      // Nothing is ever added to a segment that stands in the archive: what is unused stays so.
      ASSIGN_OR_RETURN(
          const Rows marked, sql::WriteIn(*database_, [&](Session& session) {
            return session.Query(
                absl::StrCat("UPDATE segment SET unused_since_us = $2 WHERE id IN "
                             "(SELECT CAST(item ->> 0 AS bigint) FROM ",
                             database_->dialect().list, ") AND unused_since_us = 0 RETURNING 1"),
                {sql::JsonColumn(unused), absl::ToUnixMicros(options.now())});
          }));
      compacted.unused += marked.size();
    }
    after = segments.back().id;
    RETURN_IF_ERROR(options.pause());
  }
}

absl::Status Compaction::Remove(const CompactionOptions& options,
                                CompactionResult& compacted) const {
  const int64_t before = absl::ToUnixMicros(options.now() - options.keep);
  while (true) {
    ASSIGN_OR_RETURN(
        const Rows rows, sql::WriteIn(*database_, [&](Session& session) {
          return session.Query(
              "DELETE FROM segment WHERE id IN (SELECT id FROM segment WHERE unused_since_us <> 0 "
              "AND unused_since_us <= $1 ORDER BY unused_since_us, id LIMIT $2) "
              "RETURNING object, size",
              {before, int64_t{options.segments_at_once}});
        }));
    if (rows.empty()) return absl::OkStatus();
    // One that is left, because this ends here, is swept.
    for (const Row& row : rows) {
      RETURN_IF_ERROR(archive_->Delete(row.Text(0)));
      ++compacted.removed;
      compacted.removed_bytes += static_cast<uint64_t>(row.Number(1));
    }
    RETURN_IF_ERROR(options.pause());
  }
}

absl::Status Compaction::Sweep(const CompactionOptions& options,
                               CompactionResult& compacted) const {
  const absl::Time before = options.now() - kUnnamedStays;
  for (std::string after;;) {
    ASSIGN_OR_RETURN(const ObjectPage page, archive_->List(kSegmentPrefix, after));
    std::vector<std::string> keys;
    for (const ObjectInfo& object : page.objects) {
      if (object.changed < before) keys.push_back(object.key);
    }
    ASSIGN_OR_RETURN(const absl::flat_hash_set<std::string> named,
                     sql::ReadIn(*database_, [&](Session& session) {
                       return Named(session, database_->dialect(), keys);
                     }));
    for (const ObjectInfo& object : page.objects) {
      if (object.changed >= before || named.contains(object.key)) continue;
      RETURN_IF_ERROR(archive_->Delete(object.key));
      ++compacted.removed;
      compacted.removed_bytes += object.size;
    }
    if (page.is_last || page.objects.empty()) return absl::OkStatus();
    after = page.objects.back().key;
    RETURN_IF_ERROR(options.pause());
  }
}

absl::StatusOr<CompactionResult> Compaction::Compact(const CompactionOptions& options) const {
  if (archive_ == nullptr) return NoArchiveIsNamed();
  RETURN_IF_ERROR(ClaimArchive(*database_, *archive_));
  CompactionResult compacted;
  for (const auto step :
       {&Compaction::Move, &Compaction::Mark, &Compaction::Remove, &Compaction::Sweep}) {
    RETURN_IF_ERROR((this->*step)(options, compacted));
  }
  return compacted;
}

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

constexpr int64_t kRowsAtOnce = 1000;

struct NamedSegment {
  std::string object;
  uint64_t size = 0;
};

absl::StatusOr<Rows> Ask(sql::Database& database, absl::string_view sql,
                         const std::vector<sql::Parameter>& parameters) {
  return sql::ReadIn(database, [&](Session& session) { return session.Query(sql, parameters); });
}

// The segments that are needed, in the order of their keys.
class NeededSegments {
 public:
  explicit NeededSegments(sql::Database& database) : database_(database) {}

  // nullopt: there is no more.
  absl::StatusOr<std::optional<NamedSegment>> Next() {
    if (next_ == page_.size()) {
      const std::string after = page_.empty() ? "" : page_.back().object;
      ASSIGN_OR_RETURN(
          const Rows rows,
          Ask(database_,
              "SELECT object, size FROM segment WHERE object > $1 AND unused_since_us = 0 "
              "ORDER BY object LIMIT $2",
              {after, kRowsAtOnce}));
      if (rows.empty()) return std::nullopt;
      page_.clear();
      for (const Row& row : rows) {
        page_.push_back({row.Text(0), static_cast<uint64_t>(row.Number(1))});
      }
      next_ = 0;
    }
    return page_[next_++];
  }

 private:
  sql::Database& database_;
  std::vector<NamedSegment> page_;
  size_t next_ = 0;
};

// The segments that stand in the archive, in the order of their keys.
class StoredSegments {
 public:
  explicit StoredSegments(ObjectStore& archive) : archive_(archive) {}

  absl::StatusOr<std::optional<ObjectInfo>> Next() {
    if (next_ == page_.objects.size()) {
      if (is_last_) return std::nullopt;
      const std::string after = page_.objects.empty() ? "" : page_.objects.back().key;
      ASSIGN_OR_RETURN(ObjectPage page, archive_.List(kSegmentPrefix, after));
      page_ = std::move(page);
      next_ = 0;
      is_last_ = page_.is_last;
      if (page_.objects.empty()) return std::nullopt;
    }
    return page_.objects[next_++];
  }

 private:
  ObjectStore& archive_;
  ObjectPage page_;
  size_t next_ = 0;
  bool is_last_ = false;
};

class SegmentInspection {
 public:
  SegmentInspection(sql::Database& database, ObjectStore& archive, absl::Time filled_before,
                    const std::function<void(const SegmentFinding&)>& tell)
      : database_(database), archive_(archive), filled_before_(filled_before), tell_(tell) {}

  absl::StatusOr<uint64_t> Run() {
    NeededSegments all_needed(database_);
    StoredSegments all_standing(archive_);
    absl::StatusOr<std::optional<NamedSegment>> needed = all_needed.Next();
    absl::StatusOr<std::optional<ObjectInfo>> standing = all_standing.Next();
    uint64_t count = 0;
    while (true) {
      if (!needed.ok()) return needed.status();
      if (!standing.ok()) return standing.status();
      const bool has_needed = needed->has_value();
      const bool has_standing = standing->has_value();
      if (!has_needed && !has_standing) return count;
      absl::Status status;
      const int order = !has_needed     ? 1
                        : !has_standing ? -1
                                        : (*needed)->object.compare((*standing)->key);
      if (order < 0) status = Missing((*needed)->object);
      if (order > 0) status = Unneeded(**standing);
      if (order == 0) status = Compare(**needed, **standing);
      if (!status.ok()) return status;
      if (order <= 0) {
        ++count;
        needed = all_needed.Next();
      }
      if (order >= 0) standing = all_standing.Next();
    }
  }

 private:
  // Both may have changed since they were listed.
  absl::Status Missing(const std::string& object) {
    ASSIGN_OR_RETURN(const ObjectPage there, archive_.List(object, ""));
    if (!there.objects.empty()) return absl::OkStatus();
    return TellIfNeeded("segment.missing", object, "");
  }

  absl::Status Compare(const NamedSegment& needed, const ObjectInfo& standing) {
    if (standing.size == needed.size) return absl::OkStatus();
    return TellIfNeeded("segment.damaged", needed.object,
                        absl::StrCat(": has ", standing.size, " bytes, not ", needed.size));
  }

  absl::Status TellIfNeeded(absl::string_view kind, const std::string& object,
                            absl::string_view more) {
    ASSIGN_OR_RETURN(const Rows blobs, Ask(database_,
                                           "SELECT count(*) FROM archived_blob JOIN segment ON "
                                           "segment.id = archived_blob.segment_id "
                                           "WHERE segment.object = $1",
                                           {object}));
    if (blobs.front().Number(0) == 0) return absl::OkStatus();
    tell_({true, std::string(kind),
           absl::StrCat(object, ", which has ", blobs.front().Number(0), " blobs", more),
           "restore it from a copy of the archive, or delete the runs that refer to its blobs"});
    return absl::OkStatus();
  }

  absl::Status Unneeded(const ObjectInfo& standing) {
    if (standing.changed >= filled_before_) return absl::OkStatus();
    ASSIGN_OR_RETURN(const Rows named,
                     Ask(database_, "SELECT 1 FROM segment WHERE object = $1", {standing.key}));
    if (!named.empty()) return absl::OkStatus();
    tell_({false, "segment.unnamed", standing.key,
           "no row refers to it; `gprofhub admin archive` removes it after a day"});
    return absl::OkStatus();
  }

  sql::Database& database_;
  ObjectStore& archive_;
  const absl::Time filled_before_;
  const std::function<void(const SegmentFinding&)>& tell_;
};

}  // namespace

absl::StatusOr<uint64_t> InspectSegments(sql::Database& database, ObjectStore* archive,
                                         absl::Time filled_before,
                                         const std::function<void(const SegmentFinding&)>& tell) {
  if (archive != nullptr) return SegmentInspection(database, *archive, filled_before, tell).Run();
  ASSIGN_OR_RETURN(const Rows blobs, Ask(database, "SELECT count(*) FROM archived_blob", {}));
  if (blobs.front().Number(0) > 0) {
    tell({false, "archive.unknown", absl::StrCat(blobs.front().Number(0), " blobs are archived"),
          "pass --archive to check them"});
  }
  return 0;
}

}  // namespace gprofhub::store
