#include "store/archive/compaction.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "store/archive/archive_owner.h"
#include "store/archive/no_archive.h"
#include "store/sql/database.h"
#include "store/sql/transaction.h"

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
    const absl::StatusOr<SegmentContents> contents = ReadContents(database_, archive_, segment);
    if (!contents.ok()) return contents.status();
    for (const Blob& blob : contents->blobs) {
      filler_.Add(blob.name, blob.bytes);
      from_[blob.name] = segment.id;
    }
    return absl::OkStatus();
  }

  absl::Status Finish(absl::Time now, CompactionResult& compacted) {
    if (from_.empty()) return absl::OkStatus();
    const absl::StatusOr<WrittenSegment> segment = PutSegment(archive_, std::move(filler_));
    if (!segment.ok()) return segment.status();
    std::vector<std::vector<std::string>> table;
    for (const SegmentBlob& blob : segment->blobs) {
      table.push_back({blob.name, absl::StrCat(from_[blob.name]), absl::StrCat(blob.first_byte)});
    }
    const absl::StatusOr<Rows> moved =
        sql::WriteIn(database_, [&](Session& session) -> absl::StatusOr<Rows> {
          const absl::StatusOr<int64_t> id = AddSegment(session, *segment, now);
          if (!id.ok()) return id.status();
          return session.Query(
              absl::StrCat(
                  "UPDATE archived_blob SET segment_id = $2, "
                  "first_byte = CAST(item ->> 2 AS bigint) FROM ",
                  database_.dialect().list,
                  " WHERE archived_blob.name = item ->> 0 "
                  "AND archived_blob.segment_id = CAST(item ->> 1 AS bigint) RETURNING length"),
              {sql::JsonTable(table), *id});
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
  const absl::StatusOr<Rows> rows = session.Query(
      absl::StrCat("SELECT object FROM segment WHERE object IN (SELECT item ->> 0 FROM ",
                   dialect.list, ")"),
      {sql::JsonColumn(objects)});
  if (!rows.ok()) return rows.status();
  absl::flat_hash_set<std::string> named;
  for (const Row& row : *rows) named.insert(row.Text(0));
  return named;
}

}  // namespace

absl::Status Compaction::Move(const CompactionOptions& options, CompactionResult& compacted) const {
  Moving moving(*database_, *archive_);
  for (int64_t after = 0;;) {
    const absl::StatusOr<std::vector<SegmentRow>> segments = sql::ReadIn(
        *database_,
        [&](Session& session) { return ListSegments(session, after, options.segments_at_once); });
    if (!segments.ok()) return segments.status();
    if (segments->empty()) return moving.Finish(options.now(), compacted);
    for (const SegmentRow& segment : *segments) {
      if (!IsSparse(segment)) continue;
      absl::Status status = moving.Take(segment);
      if (status.ok() && moving.bytes() >= options.segment_bytes) {
        status = moving.Finish(options.now(), compacted);
      }
      if (status.ok()) status = options.pause();
      if (!status.ok()) return status;
    }
    after = segments->back().id;
    if (absl::Status status = options.pause(); !status.ok()) return status;
  }
}

absl::Status Compaction::Mark(const CompactionOptions& options, CompactionResult& compacted) const {
  for (int64_t after = 0;;) {
    const absl::StatusOr<std::vector<SegmentRow>> segments = sql::ReadIn(
        *database_,
        [&](Session& session) { return ListSegments(session, after, options.segments_at_once); });
    if (!segments.ok()) return segments.status();
    if (segments->empty()) return absl::OkStatus();
    std::vector<int64_t> unused;
    for (const SegmentRow& segment : *segments) {
      if (segment.needed_bytes == 0 && !segment.is_unused) unused.push_back(segment.id);
    }
    if (!unused.empty()) {
      // Nothing is ever added to a segment that stands in the archive: what is unused stays so.
      const absl::StatusOr<Rows> marked = sql::WriteIn(*database_, [&](Session& session) {
        return session.Query(
            absl::StrCat("UPDATE segment SET unused_since_us = $2 WHERE id IN "
                         "(SELECT CAST(item ->> 0 AS bigint) FROM ",
                         database_->dialect().list, ") AND unused_since_us = 0 RETURNING 1"),
            {sql::JsonColumn(unused), absl::ToUnixMicros(options.now())});
      });
      if (!marked.ok()) return marked.status();
      compacted.unused += marked->size();
    }
    after = segments->back().id;
    if (absl::Status status = options.pause(); !status.ok()) return status;
  }
}

absl::Status Compaction::Remove(const CompactionOptions& options,
                                CompactionResult& compacted) const {
  const int64_t before = absl::ToUnixMicros(options.now() - options.keep);
  while (true) {
    const absl::StatusOr<Rows> rows = sql::WriteIn(*database_, [&](Session& session) {
      return session.Query(
          "DELETE FROM segment WHERE id IN (SELECT id FROM segment WHERE unused_since_us <> 0 "
          "AND unused_since_us <= $1 ORDER BY unused_since_us, id LIMIT $2) "
          "RETURNING object, size",
          {before, int64_t{options.segments_at_once}});
    });
    if (!rows.ok()) return rows.status();
    if (rows->empty()) return absl::OkStatus();
    // One that is left, because this ends here, is swept.
    for (const Row& row : *rows) {
      if (absl::Status status = archive_->Delete(row.Text(0)); !status.ok()) return status;
      ++compacted.removed;
      compacted.removed_bytes += static_cast<uint64_t>(row.Number(1));
    }
    if (absl::Status status = options.pause(); !status.ok()) return status;
  }
}

absl::Status Compaction::Sweep(const CompactionOptions& options,
                               CompactionResult& compacted) const {
  const absl::Time before = options.now() - kUnnamedStays;
  for (std::string after;;) {
    const absl::StatusOr<ObjectPage> page = archive_->List(kSegmentPrefix, after);
    if (!page.ok()) return page.status();
    std::vector<std::string> keys;
    for (const ObjectInfo& object : page->objects) {
      if (object.changed < before) keys.push_back(object.key);
    }
    const absl::StatusOr<absl::flat_hash_set<std::string>> named = sql::ReadIn(
        *database_, [&](Session& session) { return Named(session, database_->dialect(), keys); });
    if (!named.ok()) return named.status();
    for (const ObjectInfo& object : page->objects) {
      if (object.changed >= before || named->contains(object.key)) continue;
      if (absl::Status status = archive_->Delete(object.key); !status.ok()) return status;
      ++compacted.removed;
      compacted.removed_bytes += object.size;
    }
    if (page->is_last || page->objects.empty()) return absl::OkStatus();
    after = page->objects.back().key;
    if (absl::Status status = options.pause(); !status.ok()) return status;
  }
}

absl::StatusOr<CompactionResult> Compaction::Compact(const CompactionOptions& options) const {
  if (archive_ == nullptr) return NoArchiveIsNamed();
  if (absl::Status status = ClaimArchive(*database_, *archive_); !status.ok()) return status;
  CompactionResult compacted;
  for (const auto step :
       {&Compaction::Move, &Compaction::Mark, &Compaction::Remove, &Compaction::Sweep}) {
    if (absl::Status status = (this->*step)(options, compacted); !status.ok()) return status;
  }
  return compacted;
}

}  // namespace gprofhub::store
