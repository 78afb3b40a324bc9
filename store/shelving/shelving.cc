#include "store/shelving/shelving.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "store/packing/held_blob.h"
#include "store/rows/backup_lease.h"
#include "store/shelving/due_blobs.h"
#include "store/shelving/no_shelf.h"
#include "store/shelving/shelf_name.h"
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
// Compaction removes a segment without a row after a day (tidying.h). An upload of a segment that
// took longer than this is abandoned.
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

// Those of the segment's blobs that are whole in the database. They stay whole until the
// transaction ends.
absl::StatusOr<std::vector<BoxedBlob>> LockWhole(Session& session, const sql::Dialect& dialect,
                                                 const std::vector<BoxedBlob>& blobs) {
  std::vector<BlobName> names;
  for (const BoxedBlob& blob : blobs) names.push_back(blob.name);
  const absl::StatusOr<std::vector<BlobName>> locked = sql::LockBlobs(session, dialect, names);
  if (!locked.ok()) return locked.status();
  const absl::StatusOr<std::vector<BlobName>> whole = FindWhole(session, dialect, *locked);
  if (!whole.ok()) return whole.status();
  const absl::flat_hash_set<BlobName> are_whole(whole->begin(), whole->end());
  std::vector<BoxedBlob> left;
  std::copy_if(blobs.begin(), blobs.end(), std::back_inserter(left),
               [&](const BoxedBlob& blob) { return are_whole.contains(blob.name); });
  return left;
}

}  // namespace

// The content of one segment, and the last target whose blobs are all archived with it.
struct Shelving::Step {
  std::vector<DueBlob> blobs;
  int64_t done_target = 0;
};

absl::StatusOr<Shelved> Shelving::FillOne(const ShelveOptions& options, const Step& step) const {
  const absl::Time begun = options.now();
  absl::Status backup =
      database_->Read([&](Session& session) { return CheckNoBackup(session, options.now()); });
  if (!backup.ok()) return backup;
  BoxFiller filler;
  for (const DueBlob& due : step.blobs) {
    const absl::StatusOr<HeldBlob> held = ReadSoundBlob(*database_, *bytes_, due.name);
    if (absl::IsDataLoss(held.status()) || absl::IsNotFound(held.status())) continue;
    if (!held.ok()) return held.status();
    if (!held->is_packed) filler.Add(due.name, held->bytes);
  }
  FilledBox box;
  if (!filler.blobs().empty()) {
    absl::StatusOr<FilledBox> put = PutBox(*shelf_, std::move(filler));
    if (!put.ok()) return put.status();
    box = *std::move(put);
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
        const absl::StatusOr<std::vector<BoxedBlob>> whole =
            LockWhole(session, database_->dialect(), box.blobs);
        if (!whole.ok()) return whole.status();
        if (!whole->empty()) {
          const absl::StatusOr<int64_t> id = AddBox(session, box, options.now());
          if (!id.ok()) return id.status();
          status = AddShelvedBlobs(session, database_->dialect(), *id, *whole);
          one.boxes = 1;
        }
        for (const BoxedBlob& blob : *whole) {
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
  // Another process was faster.
  if (shelved->boxes == 0 && !box.object.empty()) {
    if (absl::Status status = shelf_->Delete(box.object); !status.ok()) return status;
  }
  // Files outside of the database are removed after the transaction: a concurrent reader finds
  // either the file or the row.
  const absl::StatusOr<sql::RemovedBytes> removed =
      bytes_->RemoveUnnamed(names, absl::InfiniteFuture());
  if (!removed.ok()) return removed.status();
  return shelved;
}

Shelving::Shelving(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes,
                   std::shared_ptr<ObjectStore> shelf)
    : database_(std::move(database)), bytes_(std::move(bytes)), shelf_(std::move(shelf)) {}

absl::StatusOr<Shelved> Shelving::Shelve(const ShelveOptions& options) const {
  if (!has_shelf()) return NoShelfIsNamed();
  if (absl::Status status = ClaimShelf(*database_, *shelf_); !status.ok()) return status;
  const absl::StatusOr<int64_t> after = sql::ReadIn(
      *database_, [](Session& session) { return sql::ReadProperty(session, sql::kShelvedTarget); });
  if (!after.ok()) return after.status();
  Shelved all;
  DueBlobs due(*database_, options.now() - options.older_than, options.targets_at_once);
  std::deque<DueBlob> waiting;
  uint64_t waiting_bytes = 0;
  int64_t looked_at = options.from_start ? 0 : *after;
  for (bool more = true;;) {
    while (more && waiting_bytes < options.box_bytes) {
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
    // The remaining blobs of a partly archived target are found again.
    step.done_target = waiting.empty() ? looked_at : waiting.front().target_id - 1;
    const absl::StatusOr<Shelved> one = FillOne(options, step);
    if (!one.ok()) return one.status();
    all.boxes += one->boxes;
    all.blobs += one->blobs;
    all.bytes += one->bytes;
    if (step.blobs.empty() || (waiting.empty() && !more)) return all;
    if (absl::Status paused = options.pause(all); !paused.ok()) return paused;
  }
}

absl::Status Shelving::TakeOver(const Actor& by, absl::Time now) const {
  if (!has_shelf()) return NoShelfIsNamed();
  return TakeShelfOver(*database_, *shelf_, by, now);
}

}  // namespace gprofhub::store
