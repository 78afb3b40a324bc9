#include "store/upkeep/backup.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_context.h"
#include "store/delta/held_blob.h"
#include "store/open_store.h"
#include "store/rows/backup_lease.h"
#include "store/sql/engine.h"
#include "store/sql/properties.h"
#include "store/sql/transaction.h"
#include "store/sqlite/copy_database.h"
#include "store/sqlite/open_sqlite.h"
#include "store/sqlite/small_blobs.h"
#include "store/upkeep/backup_copy.h"
#include "store/upkeep/backups.h"
#include "store/upkeep/copy_rows.h"

namespace gprofhub::store {
namespace {

using sql::Engine;
using sql::Rows;
using sql::Session;
namespace fs = std::filesystem;

// Heartbeat interval of a backup.
constexpr absl::Duration kPulse = absl::Seconds(15);
// Of blobs that are written in one transaction.
constexpr uint64_t kBytesAtOnce = uint64_t{16} << 20;

// Writes the backup's heartbeat at intervals.
class Pulse {
 public:
  Pulse(sql::Database& database, const BackupOptions& options)
      : database_(database), options_(options) {}

  absl::Status operator()() {
    const absl::Time now = options_.now();
    if (now < next_) return absl::OkStatus();
    next_ = now + kPulse;
    return HoldBlobs(database_, now);
  }

 private:
  sql::Database& database_;
  const BackupOptions& options_;
  absl::Time next_ = absl::InfinitePast();
};

// The rows of a PostgreSQL store, all as of one moment, into an empty embedded one.
absl::Status CopyFromPostgres(sql::Database& from, const std::string& folder, Pulse& pulse,
                              const BackupOptions& options) {
  const absl::StatusOr<Engine> to = sqlite::OpenSqlite(folder);
  if (!to.ok()) return to.status();
  return from.Read([&](Session& source) {
    absl::Status status =
        source.Execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY", {});
    if (!status.ok()) return status;
    return to->database->Write([&](Session& target) {
      uint64_t pages = 0;
      RowCopy copy;
      copy.from = &source;
      copy.to = copy.sqlite = &target;
      copy.pulse = [&](absl::string_view table) {
        options.on_progress(absl::StrCat("copying table ", table), ++pages, 0);
        return pulse();
      };
      return CopyRows(copy).status();
    });
  });
}

// Data that a copy leaves out: another process's lease, and files uploaded by Bazel.
absl::Status ClearPassing(sql::Database& copy) {
  return copy.Write([](Session& session) {
    for (const absl::string_view table : {"transfer_piece", "transfer_blob", "transfer_room"}) {
      absl::Status status = session.Execute(absl::StrCat("DELETE FROM ", table), {});
      if (!status.ok()) return status;
    }
    return sql::SetProperty(session, sql::kBackupLease, 0);
  });
}

// Adds the bytes of large blobs to their rows, in batches.
class BlobWriter {
 public:
  explicit BlobWriter(sql::Database& copy) : copy_(copy) {}

  absl::Status Add(Blob blob) {
    bytes_ += blob.bytes.size();
    blobs_.push_back(std::move(blob));
    return bytes_ < kBytesAtOnce ? absl::OkStatus() : Flush();
  }
  absl::Status Flush() {
    absl::Status status = copy_.Write([&](Session& session) {
      for (const Blob& blob : blobs_) {
        absl::Status added = sqlite::AddSmallBlob(session, blob);
        if (!added.ok()) return added;
      }
      return absl::OkStatus();
    });
    blobs_.clear();
    bytes_ = 0;
    return status;
  }

 private:
  sql::Database& copy_;
  std::vector<Blob> blobs_;
  uint64_t bytes_ = 0;
};

// Checks the bytes of all whole blobs, and copies those that did not come with the rows. During the
// backup no blob is delta-encoded or archived.
absl::Status CopyBlobs(const Engine& store, sql::Database& copy, Pulse& pulse,
                       const BackupOptions& options, BackupResult& result) {
  BlobWriter writer(copy);
  const auto blobs = ForBlobs(copy, options, [&](const BlobName& name) {
    if (absl::Status status = pulse(); !status.ok()) return status;
    const absl::StatusOr<CopiedBlob> copied =
        sql::ReadIn(copy, [&](Session& rows) { return FindCopied(rows, copy.dialect(), name); });
    if (!copied.ok()) return copied.status();
    // A delta is checked with its base, when all blobs are copied.
    if (!copied->is_whole) return absl::OkStatus();
    absl::StatusOr<HeldBlob> held = copied->bytes.has_value()
                                        ? HeldBlob{*copied->bytes, false}
                                        : ReadHeldBlob(*store.database, *store.blob_bytes, name);
    if (!held.ok()) return held.status();
    if (held->is_delta) {
      return absl::UnavailableError(
          absl::StrCat("blob ", name, " became a delta when the backup began: back up again"));
    }
    absl::Status status = CheckBytes(name, held->bytes, "the store");
    if (!status.ok()) return status;
    result.blob_bytes += held->bytes.size();
    return copied->bytes.has_value() ? absl::OkStatus()
                                     : writer.Add({name, std::move(held->bytes)});
  });
  if (!blobs.ok()) return blobs.status();
  result.blobs = *blobs;
  const absl::StatusOr<uint64_t> archived = sql::ReadIn(copy, CountArchived);
  if (!archived.ok()) return archived.status();
  result.archived = *archived;
  return writer.Flush();
}

// Makes a copy of the store in an empty folder: one file, and checked.
absl::Status FillBackup(const std::string& location, const Engine& store, const std::string& folder,
                        const BackupOptions& options, BackupResult& result) {
  Pulse pulse(*store.database, options);
  if (absl::Status status = pulse(); !status.ok()) return status;
  if (IsShared(location)) {
    absl::Status status = CopyFromPostgres(*store.database, folder, pulse, options);
    if (!status.ok()) return status;
  } else {
    const absl::StatusOr<std::string> directory = DirectoryOf(location);
    if (!directory.ok()) return directory.status();
    options.on_progress("copying rows", 0, 0);
    absl::Status status = sqlite::CopyDatabase(
        sqlite::DatabaseFile(*directory), sqlite::DatabaseFile(folder), [&] { return pulse(); });
    if (!status.ok()) return status;
  }
  {
    const absl::StatusOr<Engine> copy = sqlite::OpenSqlite(folder);
    if (!copy.ok()) return copy.status();
    absl::Status status = ClearPassing(*copy->database);
    if (status.ok()) status = CopyBlobs(store, *copy->database, pulse, options, result);
    if (status.ok()) status = InspectCopy(*copy, options);
    if (!status.ok()) return status;
  }
  return sqlite::MakeSingleFile(folder);
}

}  // namespace

absl::StatusOr<BackupResult> MakeBackup(const std::string& location, const std::string& destination,
                                        const BackupOptions& options) {
  if (destination.empty() || destination.back() == '/') {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", destination, "\" names no file: a backup is one"));
  }
  std::error_code error;
  if (fs::exists(fs::symlink_status(destination, error))) {
    return absl::AlreadyExistsError(
        absl::StrCat(destination, ": is there already; name a file that is not"));
  }
  const absl::StatusOr<Engine> store = OpenEngine(location);
  if (!store.ok()) return store.status();
  absl::StatusOr<PartialFolder> partial = PartialFolder::Make(destination);
  if (!partial.ok()) return partial.status();
  BackupResult result;
  result.begun = options.now();
  absl::Status status = FillBackup(location, *store, partial->path(), options, result);
  if (status.ok()) status = partial->MoveFileTo(sqlite::kDatabaseFile, destination);
  if (!status.ok()) return status;
  const std::string full = fs::absolute(destination).string();
  status = Backups(store->database).RecordGood(result.begun, full, options.by, options.now());
  if (!status.ok()) {
    return base::WithContext(status, absl::StrCat(full, " is whole, but that was not recorded"));
  }
  return result;
}

}  // namespace gprofhub::store
