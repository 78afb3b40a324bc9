#include "store/shelving/tidying.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "store/shelving/no_shelf.h"
#include "store/shelving/shelf_name.h"
#include "store/sql/database.h"
#include "store/sql/transaction.h"

namespace gprofhub::store {
namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

// Minimum age: another process may have stored the segment and be about to add its row.
constexpr absl::Duration kUnnamedStays = absl::Hours(24);

bool IsSparse(const BoxRow& box) {
  return box.needed_bytes > 0 && box.needed_bytes < box.blob_bytes / 2;
}

// The blobs to move into one new segment.
class Moving {
 public:
  Moving(sql::Database& database, ObjectStore& shelf) : database_(database), shelf_(shelf) {}

  uint64_t bytes() const { return filler_.blob_bytes(); }

  absl::Status Take(const BoxRow& box) {
    const absl::StatusOr<BoxContents> contents = ReadContents(database_, shelf_, box);
    if (!contents.ok()) return contents.status();
    for (const Blob& blob : contents->blobs) {
      filler_.Add(blob.name, blob.bytes);
      from_[blob.name] = box.id;
    }
    return absl::OkStatus();
  }

  absl::Status Finish(absl::Time now, Tidied& tidied) {
    if (from_.empty()) return absl::OkStatus();
    const absl::StatusOr<FilledBox> box = PutBox(shelf_, std::move(filler_));
    if (!box.ok()) return box.status();
    std::vector<std::vector<std::string>> table;
    for (const BoxedBlob& blob : box->blobs) {
      table.push_back({blob.name, absl::StrCat(from_[blob.name]), absl::StrCat(blob.first_byte)});
    }
    const absl::StatusOr<Rows> moved =
        sql::WriteIn(database_, [&](Session& session) -> absl::StatusOr<Rows> {
          const absl::StatusOr<int64_t> id = AddBox(session, *box, now);
          if (!id.ok()) return id.status();
          return session.Query(
              absl::StrCat("UPDATE shelved_blob SET box_id = $2, "
                           "first_byte = CAST(item ->> 2 AS bigint) FROM ",
                           database_.dialect().list,
                           " WHERE shelved_blob.name = item ->> 0 "
                           "AND shelved_blob.box_id = CAST(item ->> 1 AS bigint) RETURNING length"),
              {sql::JsonTable(table), *id});
        });
    if (!moved.ok()) return moved.status();
    for (const Row& row : *moved) {
      ++tidied.moved;
      tidied.moved_bytes += static_cast<uint64_t>(row.Number(0));
    }
    filler_ = BoxFiller();
    from_.clear();
    return absl::OkStatus();
  }

 private:
  sql::Database& database_;
  ObjectStore& shelf_;
  BoxFiller filler_;
  absl::flat_hash_map<BlobName, int64_t> from_;  // the blobs' current segments
};

// The subset of the objects that rows name.
absl::StatusOr<absl::flat_hash_set<std::string>> Named(Session& session,
                                                       const sql::Dialect& dialect,
                                                       const std::vector<std::string>& objects) {
  const absl::StatusOr<Rows> rows =
      session.Query(absl::StrCat("SELECT object FROM box WHERE object IN (SELECT item ->> 0 FROM ",
                                 dialect.list, ")"),
                    {sql::JsonColumn(objects)});
  if (!rows.ok()) return rows.status();
  absl::flat_hash_set<std::string> named;
  for (const Row& row : *rows) named.insert(row.Text(0));
  return named;
}

}  // namespace

absl::Status Tidying::Move(const TidyOptions& options, Tidied& tidied) const {
  Moving moving(*database_, *shelf_);
  for (int64_t after = 0;;) {
    const absl::StatusOr<std::vector<BoxRow>> boxes = sql::ReadIn(
        *database_,
        [&](Session& session) { return ListBoxes(session, after, options.boxes_at_once); });
    if (!boxes.ok()) return boxes.status();
    if (boxes->empty()) return moving.Finish(options.now(), tidied);
    for (const BoxRow& box : *boxes) {
      if (!IsSparse(box)) continue;
      absl::Status status = moving.Take(box);
      if (status.ok() && moving.bytes() >= options.box_bytes) {
        status = moving.Finish(options.now(), tidied);
      }
      if (status.ok()) status = options.pause();
      if (!status.ok()) return status;
    }
    after = boxes->back().id;
    if (absl::Status status = options.pause(); !status.ok()) return status;
  }
}

absl::Status Tidying::Mark(const TidyOptions& options, Tidied& tidied) const {
  for (int64_t after = 0;;) {
    const absl::StatusOr<std::vector<BoxRow>> boxes = sql::ReadIn(
        *database_,
        [&](Session& session) { return ListBoxes(session, after, options.boxes_at_once); });
    if (!boxes.ok()) return boxes.status();
    if (boxes->empty()) return absl::OkStatus();
    std::vector<int64_t> unused;
    for (const BoxRow& box : *boxes) {
      if (box.needed_bytes == 0 && !box.is_unused) unused.push_back(box.id);
    }
    if (!unused.empty()) {
      // Archived segments are immutable: an unreferenced one stays unreferenced.
      const absl::StatusOr<Rows> marked = sql::WriteIn(*database_, [&](Session& session) {
        return session.Query(
            absl::StrCat("UPDATE box SET unused_since_us = $2 WHERE id IN "
                         "(SELECT CAST(item ->> 0 AS bigint) FROM ",
                         database_->dialect().list, ") AND unused_since_us = 0 RETURNING 1"),
            {sql::JsonColumn(unused), absl::ToUnixMicros(options.now())});
      });
      if (!marked.ok()) return marked.status();
      tidied.unused += marked->size();
    }
    after = boxes->back().id;
    if (absl::Status status = options.pause(); !status.ok()) return status;
  }
}

absl::Status Tidying::Remove(const TidyOptions& options, Tidied& tidied) const {
  const int64_t before = absl::ToUnixMicros(options.now() - options.keep);
  while (true) {
    const absl::StatusOr<Rows> rows = sql::WriteIn(*database_, [&](Session& session) {
      return session.Query(
          "DELETE FROM box WHERE id IN (SELECT id FROM box WHERE unused_since_us <> 0 "
          "AND unused_since_us <= $1 ORDER BY unused_since_us, id LIMIT $2) "
          "RETURNING object, size",
          {before, int64_t{options.boxes_at_once}});
    });
    if (!rows.ok()) return rows.status();
    if (rows->empty()) return absl::OkStatus();
    // If this process ends before the deletion, the object is removed as one without a row.
    for (const Row& row : *rows) {
      if (absl::Status status = shelf_->Delete(row.Text(0)); !status.ok()) return status;
      ++tidied.removed;
      tidied.removed_bytes += static_cast<uint64_t>(row.Number(1));
    }
    if (absl::Status status = options.pause(); !status.ok()) return status;
  }
}

absl::Status Tidying::Sweep(const TidyOptions& options, Tidied& tidied) const {
  const absl::Time before = options.now() - kUnnamedStays;
  for (std::string after;;) {
    const absl::StatusOr<ObjectPage> page = shelf_->List(kBoxPrefix, after);
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
      if (absl::Status status = shelf_->Delete(object.key); !status.ok()) return status;
      ++tidied.removed;
      tidied.removed_bytes += object.size;
    }
    if (page->is_last || page->objects.empty()) return absl::OkStatus();
    after = page->objects.back().key;
    if (absl::Status status = options.pause(); !status.ok()) return status;
  }
}

absl::StatusOr<Tidied> Tidying::Tidy(const TidyOptions& options) const {
  if (shelf_ == nullptr) return NoShelfIsNamed();
  if (absl::Status status = ClaimShelf(*database_, *shelf_); !status.ok()) return status;
  Tidied tidied;
  for (const auto step : {&Tidying::Move, &Tidying::Mark, &Tidying::Remove, &Tidying::Sweep}) {
    if (absl::Status status = (this->*step)(options, tidied); !status.ok()) return status;
  }
  return tidied;
}

}  // namespace gprofhub::store
