#include "store/packing/shelving.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "store/packing/held_blob.h"
#include "store/packing/shelf_name.h"
#include "store/records/records.h"
#include "store/rows/summaries.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

namespace {

// What somebody is told who needs a shelf and has named none.

inline absl::Status NoShelfIsNamed() {
  return absl::FailedPreconditionError(
      "no place for old bytes is named: give --shelf, or set GPROFHUB_SHELF");
}

// Which blobs are to be shelved, in the order of the targets that name them.

struct DueBlob {
  BlobName name;
  uint64_t size = 0;
  int64_t target_id = 0;
};

// The blobs of the next targets.
struct DuePage {
  uint64_t targets = 0;  // 0: no further one is old enough
  int64_t last = 0;      // the last of them
  std::vector<DueBlob> blobs;
};

// A blob is due with the newest target that names it: what is old and was sent again lately is read
// as often as what is young.
class DueBlobs {
 public:
  // Targets whose runs came after `before` are not due, nor are those behind the first such.
  DueBlobs(sql::Database& database, absl::Time before, uint32_t targets_at_once)
      : database_(database), before_(before), targets_at_once_(targets_at_once) {}

  absl::StatusOr<DuePage> After(int64_t target_id);

 private:
  absl::StatusOr<DuePage> FindIn(sql::Session& session, int64_t target_id);
  // Learns of those that are not known yet.
  absl::Status LearnNewest(sql::Session& session, const std::vector<DueBlob>& blobs);

  sql::Database& database_;
  const absl::Time before_;
  const uint32_t targets_at_once_;
  // The newest targets that name blobs. A library's symbols are named by every run of every test,
  // and to find the newest of these takes a look at each: so it is done once.
  absl::flat_hash_map<BlobName, int64_t> newest_;
};

using sql::Row;
using sql::Rows;
using sql::Session;

// What is smaller stays: the row of a shelved blob, its keys and its place in the indexes take a
// third of that.
constexpr int64_t kLeastBytes = 1024;
// Of names whose newest targets are remembered: some 15 MB.
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
  absl::StatusOr<DuePage> page =
      sql::ReadIn(database_, [&](Session& session) { return FindIn(session, target_id); });
  if (!page.ok()) return page;
  // A blob that was taken is asked for no more.
  for (const DueBlob& blob : page->blobs) newest_.erase(blob.name);
  return page;
}

using sql::Session;

// Each takes a row in one transaction.
constexpr size_t kMostBlobs = 4'000;
// A box that no row names is removed after a day (tidying.h). Whoever took so long to put it there
// had better begin again.
constexpr absl::Duration kMostTime = absl::Hours(12);

absl::Status AddShelvedBlobs(Session& session, const sql::Dialect& dialect, int64_t box_id,
                             const std::vector<BoxedBlob>& blobs) {
  std::vector<std::vector<std::string>> table;
  for (const BoxedBlob& blob : blobs) {
    table.push_back({blob.name, absl::StrCat(blob.first_byte), absl::StrCat(blob.length)});
  }
  return session.Execute(
      absl::StrCat(
          "INSERT INTO shelved_blob (name, box_id, first_byte, length) SELECT item ->> 0, "
          "CAST($2 AS bigint), CAST(item ->> 1 AS bigint), CAST(item ->> 2 AS bigint) FROM ",
          dialect.list, " ORDER BY position"),
      {sql::JsonTable(table), box_id});
}

// Those of the box's blobs that are in the store whole; from now on nobody changes that.
absl::StatusOr<std::vector<BoxedBlob>> LockWhole(Session& session, const sql::Dialect& dialect,
                                                 const std::vector<BoxedBlob>& blobs) {
  std::vector<BlobName> names;
  for (const BoxedBlob& blob : blobs) names.push_back(blob.name);
  ASSIGN_OR_RETURN(const std::vector<BlobName> locked, sql::LockBlobs(session, dialect, names));
  ASSIGN_OR_RETURN(const std::vector<BlobName> whole, FindWhole(session, dialect, locked));
  const absl::flat_hash_set<BlobName> are_whole(whole.begin(), whole.end());
  std::vector<BoxedBlob> left;
  std::copy_if(blobs.begin(), blobs.end(), std::back_inserter(left),
               [&](const BoxedBlob& blob) { return are_whole.contains(blob.name); });
  return left;
}

}  // namespace

// What goes into one box, and up to which target all is shelved then.
struct Shelving::Step {
  std::vector<DueBlob> blobs;
  int64_t done_target = 0;
};

absl::StatusOr<Shelved> Shelving::FillOne(const ShelveOptions& options, const Step& step) const {
  const absl::Time begun = options.now();
  RETURN_IF_ERROR(
      database_->Read([&](Session& session) { return CheckNoBackup(session, options.now()); }));
  BoxFiller filler;
  for (const DueBlob& due : step.blobs) {
    const absl::StatusOr<HeldBlob> held = ReadSoundBlob(*database_, *bytes_, due.name);
    if (absl::IsDataLoss(held.status()) || absl::IsNotFound(held.status())) continue;
    if (!held.ok()) return held.status();
    if (!held->is_packed) filler.Add(due.name, held->bytes);
  }
  FilledBox box;
  if (!filler.blobs().empty()) {
    ASSIGN_OR_RETURN(FilledBox put, PutBox(*shelf_, std::move(filler)));
    box = std::move(put);
  }
  std::vector<BlobName> names;
  const absl::StatusOr<Shelved> shelved =
      sql::WriteIn(*database_, [&](Session& session) -> absl::StatusOr<Shelved> {
        names.clear();
        Shelved one;
        absl::Status status = CheckNoBackup(session, options.now());
        if (!status.ok()) return status;
        if (options.now() - begun > kMostTime) {
          return absl::UnavailableError("filling a box took too long: try again");
        }
        ASSIGN_OR_RETURN(const std::vector<BoxedBlob> whole,
                         LockWhole(session, database_->dialect(), box.blobs));
        if (!whole.empty()) {
          ASSIGN_OR_RETURN(const int64_t id, AddBox(session, box, options.now()));
          status = AddShelvedBlobs(session, database_->dialect(), id, whole);
          one.boxes = 1;
        }
        for (const BoxedBlob& blob : whole) {
          if (status.ok()) status = session.RemoveBlobBytes(blob.name);
          names.push_back(blob.name);
          ++one.blobs;
          one.bytes += blob.length;
        }
        if (status.ok()) status = sql::SetProperty(session, sql::kShelvedTarget, step.done_target);
        if (!status.ok()) return status;
        return one;
      });
  if (!shelved.ok()) return shelved;
  // Somebody else was faster.
  if (shelved->boxes == 0 && !box.object.empty()) {
    RETURN_IF_ERROR(shelf_->Delete(box.object));
  }
  // What lies apart from the database goes after the transaction: a reader that looks in between
  // finds one or the other.
  RETURN_IF_ERROR(bytes_->RemoveUnnamed(names, absl::InfiniteFuture()).status());
  return shelved;
}

Shelving::Shelving(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes,
                   std::shared_ptr<ObjectStore> shelf)
    : database_(std::move(database)), bytes_(std::move(bytes)), shelf_(std::move(shelf)) {}

absl::StatusOr<Shelved> Shelving::Shelve(const ShelveOptions& options) const {
  if (!has_shelf()) return NoShelfIsNamed();
  RETURN_IF_ERROR(ClaimShelf(*database_, *shelf_));
  ASSIGN_OR_RETURN(const int64_t after, sql::ReadIn(*database_, [](Session& session) {
                     return sql::ReadProperty(session, sql::kShelvedTarget);
                   }));
  Shelved all;
  DueBlobs due(*database_, options.now() - options.older_than, options.targets_at_once);
  std::deque<DueBlob> waiting;
  uint64_t waiting_bytes = 0;
  int64_t looked_at = options.from_start ? 0 : after;
  for (bool more = true;;) {
    while (more && waiting_bytes < options.box_bytes) {
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
    const bool is_full = waiting_bytes >= options.box_bytes;
    Step step;
    uint64_t bytes = 0;
    while (!waiting.empty() && (is_full || !options.only_full) && bytes < options.box_bytes &&
           step.blobs.size() < kMostBlobs) {
      bytes += waiting.front().size;
      step.blobs.push_back(std::move(waiting.front()));
      waiting.pop_front();
    }
    waiting_bytes -= bytes;
    // Of a target that was begun, what is left is found again.
    step.done_target = waiting.empty() ? looked_at : waiting.front().target_id - 1;
    ASSIGN_OR_RETURN(const Shelved one, FillOne(options, step));
    all.boxes += one.boxes;
    all.blobs += one.blobs;
    all.bytes += one.bytes;
    if (step.blobs.empty() || (waiting.empty() && !more)) return all;
    RETURN_IF_ERROR(options.pause(all));
  }
}

absl::Status Shelving::TakeOver(const Actor& by, absl::Time now) const {
  if (!has_shelf()) return NoShelfIsNamed();
  return TakeShelfOver(*database_, *shelf_, by, now);
}

namespace {

using sql::Session;

constexpr uint32_t kBoxesAtOnce = 100;

// Makes those of the blobs whole that are shelved still.
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

absl::StatusOr<BroughtBack> Shelving::EmptyOne(const BoxRow& box) const {
  ASSIGN_OR_RETURN(const BoxContents contents, ReadContents(*database_, *shelf_, box));
  BroughtBack back;
  if (!contents.blobs.empty()) {
    std::vector<const Blob*> blobs;
    for (const Blob& blob : contents.blobs) blobs.push_back(&blob);
    RETURN_IF_ERROR(bytes_->Stage(blobs));
    ASSIGN_OR_RETURN(const BroughtBack put, sql::WriteIn(*database_, [&](Session& session) {
                       return PutBack(session, database_->dialect(), contents.blobs);
                     }));
    back = put;
    back.boxes = 1;
  }
  back.damaged = contents.damaged;
  return back;
}

absl::StatusOr<BroughtBack> Shelving::BringBack(const BringBackOptions& options,
                                                const Actor& by) const {
  if (!has_shelf()) return NoShelfIsNamed();
  BroughtBack all;
  for (int64_t after = 0;;) {
    ASSIGN_OR_RETURN(const std::vector<BoxRow> boxes,
                     sql::ReadIn(*database_, [&](Session& session) {
                       return ListBoxes(session, after, kBoxesAtOnce);
                     }));
    if (boxes.empty()) break;
    for (const BoxRow& box : boxes) {
      ASSIGN_OR_RETURN(const BroughtBack one, EmptyOne(box));
      all.boxes += one.boxes;
      all.blobs += one.blobs;
      all.bytes += one.bytes;
      all.damaged += one.damaged;
      RETURN_IF_ERROR(options.pause(all));
    }
    after = boxes.back().id;
  }
  // Who shelves again begins with the oldest.
  RETURN_IF_ERROR(database_->Write([&](Session& session) {
    RETURN_IF_ERROR(sql::SetProperty(session, sql::kShelvedTarget, 0));
    return sql::AddAuditRow(session, by,
                            {"", "shelf.bring-back", absl::StrCat(all.blobs, " blobs"),
                             absl::StrCat(all.bytes, " bytes")},
                            options.now());
  }));
  return all;
}

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;

// Somebody may have put it there and be about to add its row.
constexpr absl::Duration kUnnamedStays = absl::Hours(24);

bool IsSparse(const BoxRow& box) {
  return box.needed_bytes > 0 && box.needed_bytes < box.blob_bytes / 2;
}

// What is to be put into one new box.
class Moving {
 public:
  Moving(sql::Database& database, ObjectStore& shelf) : database_(database), shelf_(shelf) {}

  uint64_t bytes() const { return filler_.blob_bytes(); }

  absl::Status Take(const BoxRow& box) {
    ASSIGN_OR_RETURN(const BoxContents contents, ReadContents(database_, shelf_, box));
    for (const Blob& blob : contents.blobs) {
      filler_.Add(blob.name, blob.bytes);
      from_[blob.name] = box.id;
    }
    return absl::OkStatus();
  }

  absl::Status Finish(absl::Time now, Tidied& tidied) {
    if (from_.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const FilledBox box, PutBox(shelf_, std::move(filler_)));
    std::vector<std::vector<std::string>> table;
    for (const BoxedBlob& blob : box.blobs) {
      table.push_back({blob.name, absl::StrCat(from_[blob.name]), absl::StrCat(blob.first_byte)});
    }
    ASSIGN_OR_RETURN(
        const Rows moved, sql::WriteIn(database_, [&](Session& session) -> absl::StatusOr<Rows> {
          ASSIGN_OR_RETURN(const int64_t id, AddBox(session, box, now));
          return session.Query(
              absl::StrCat("UPDATE shelved_blob SET box_id = $2, "
                           "first_byte = CAST(item ->> 2 AS bigint) FROM ",
                           database_.dialect().list,
                           " WHERE shelved_blob.name = item ->> 0 "
                           "AND shelved_blob.box_id = CAST(item ->> 1 AS bigint) RETURNING length"),
              {sql::JsonTable(table), id});
        }));
    for (const Row& row : moved) {
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
  absl::flat_hash_map<BlobName, int64_t> from_;  // the boxes that the blobs lie in
};

// Those of the objects that rows name.
absl::StatusOr<absl::flat_hash_set<std::string>> Named(Session& session,
                                                       const sql::Dialect& dialect,
                                                       const std::vector<std::string>& objects) {
  ASSIGN_OR_RETURN(
      const Rows rows,
      session.Query(absl::StrCat("SELECT object FROM box WHERE object IN (SELECT item ->> 0 FROM ",
                                 dialect.list, ")"),
                    {sql::JsonColumn(objects)}));
  absl::flat_hash_set<std::string> named;
  for (const Row& row : rows) named.insert(row.Text(0));
  return named;
}

}  // namespace

absl::Status Tidying::Move(const TidyOptions& options, Tidied& tidied) const {
  Moving moving(*database_, *shelf_);
  for (int64_t after = 0;;) {
    ASSIGN_OR_RETURN(const std::vector<BoxRow> boxes,
                     sql::ReadIn(*database_, [&](Session& session) {
                       return ListBoxes(session, after, options.boxes_at_once);
                     }));
    if (boxes.empty()) return moving.Finish(options.now(), tidied);
    for (const BoxRow& box : boxes) {
      if (!IsSparse(box)) continue;
      absl::Status status = moving.Take(box);
      if (status.ok() && moving.bytes() >= options.box_bytes) {
        status = moving.Finish(options.now(), tidied);
      }
      if (status.ok()) status = options.pause();
      if (!status.ok()) return status;
    }
    after = boxes.back().id;
    RETURN_IF_ERROR(options.pause());
  }
}

absl::Status Tidying::Mark(const TidyOptions& options, Tidied& tidied) const {
  for (int64_t after = 0;;) {
    ASSIGN_OR_RETURN(const std::vector<BoxRow> boxes,
                     sql::ReadIn(*database_, [&](Session& session) {
                       return ListBoxes(session, after, options.boxes_at_once);
                     }));
    if (boxes.empty()) return absl::OkStatus();
    std::vector<int64_t> unused;
    for (const BoxRow& box : boxes) {
      if (box.needed_bytes == 0 && !box.is_unused) unused.push_back(box.id);
    }
    if (!unused.empty()) {
      // Nothing is ever added to a box that stands on the shelf: what is unused stays so.
      ASSIGN_OR_RETURN(
          const Rows marked, sql::WriteIn(*database_, [&](Session& session) {
            return session.Query(
                absl::StrCat("UPDATE box SET unused_since_us = $2 WHERE id IN "
                             "(SELECT CAST(item ->> 0 AS bigint) FROM ",
                             database_->dialect().list, ") AND unused_since_us = 0 RETURNING 1"),
                {sql::JsonColumn(unused), absl::ToUnixMicros(options.now())});
          }));
      tidied.unused += marked.size();
    }
    after = boxes.back().id;
    RETURN_IF_ERROR(options.pause());
  }
}

absl::Status Tidying::Remove(const TidyOptions& options, Tidied& tidied) const {
  const int64_t before = absl::ToUnixMicros(options.now() - options.keep);
  while (true) {
    ASSIGN_OR_RETURN(
        const Rows rows, sql::WriteIn(*database_, [&](Session& session) {
          return session.Query(
              "DELETE FROM box WHERE id IN (SELECT id FROM box WHERE unused_since_us <> 0 "
              "AND unused_since_us <= $1 ORDER BY unused_since_us, id LIMIT $2) "
              "RETURNING object, size",
              {before, int64_t{options.boxes_at_once}});
        }));
    if (rows.empty()) return absl::OkStatus();
    // One that is left, because this ends here, is swept.
    for (const Row& row : rows) {
      RETURN_IF_ERROR(shelf_->Delete(row.Text(0)));
      ++tidied.removed;
      tidied.removed_bytes += static_cast<uint64_t>(row.Number(1));
    }
    RETURN_IF_ERROR(options.pause());
  }
}

absl::Status Tidying::Sweep(const TidyOptions& options, Tidied& tidied) const {
  const absl::Time before = options.now() - kUnnamedStays;
  for (std::string after;;) {
    ASSIGN_OR_RETURN(const ObjectPage page, shelf_->List(kBoxPrefix, after));
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
      RETURN_IF_ERROR(shelf_->Delete(object.key));
      ++tidied.removed;
      tidied.removed_bytes += object.size;
    }
    if (page.is_last || page.objects.empty()) return absl::OkStatus();
    after = page.objects.back().key;
    RETURN_IF_ERROR(options.pause());
  }
}

absl::StatusOr<Tidied> Tidying::Tidy(const TidyOptions& options) const {
  if (shelf_ == nullptr) return NoShelfIsNamed();
  RETURN_IF_ERROR(ClaimShelf(*database_, *shelf_));
  Tidied tidied;
  for (const auto step : {&Tidying::Move, &Tidying::Mark, &Tidying::Remove, &Tidying::Sweep}) {
    RETURN_IF_ERROR((this->*step)(options, tidied));
  }
  return tidied;
}

}  // namespace gprofhub::store
