#include "store/upkeep/backup.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_context.h"
#include "store/blob_name.h"
#include "store/open_store.h"
#include "store/sql/audit_rows.h"
#include "store/sql/engine.h"
#include "store/sql/properties.h"
#include "store/sql/transaction.h"
#include "store/sqlite/blob_folder.h"
#include "store/sqlite/copy_database.h"
#include "store/sqlite/open_sqlite.h"
#include "store/sqlite/small_blobs.h"
#include "store/upkeep/backup_lease.h"
#include "store/upkeep/backups.h"
#include "store/upkeep/copy_rows.h"
#include "store/upkeep/inspection.h"

namespace gprofhub::store {
namespace {

using sql::Engine;
using sql::Row;
using sql::Rows;
using sql::Session;
namespace fs = std::filesystem;

constexpr int64_t kBlobsAtOnce = 500;
// How often a backup says that it goes on.
constexpr absl::Duration kPulse = absl::Seconds(15);

absl::Status SystemError(absl::string_view doing, const std::string& path, int error) {
  const std::string message = absl::StrCat(doing, " ", path, ": ", std::strerror(error));
  if (error == ENOSPC || error == EDQUOT) return absl::ResourceExhaustedError(message);
  return absl::FailedPreconditionError(message);
}

std::string WithoutSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// A folder beside the place that it is to have; removed at the end, unless it got there.
class Partial {
 public:
  static absl::StatusOr<Partial> Make(const std::string& place) {
    std::string path = absl::StrCat(place, ".partial.XXXXXX");
    if (mkdtemp(path.data()) == nullptr) return SystemError("creating", path, errno);
    return Partial(std::move(path));
  }
  ~Partial() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }
  Partial(Partial&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  Partial& operator=(Partial&&) = delete;

  const std::string& path() const { return path_; }

  // Everything in it is on the disk before its name changes. An empty folder at the place goes.
  absl::Status MoveTo(const std::string& place) {
    if (absl::Status status = sqlite::SyncFileSystem(path_); !status.ok()) return status;
    if (rename(path_.c_str(), place.c_str()) != 0) return SystemError("renaming to", place, errno);
    path_.clear();
    const std::string parent = fs::absolute(place).parent_path().string();
    const sqlite::FileDescriptor folder(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.valid() || fsync(folder.value()) != 0) return SystemError("syncing", parent, errno);
    return absl::OkStatus();
  }

 private:
  explicit Partial(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// Says now and then that the backup goes on.
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

// Calls `each` with the name of each blob that the copy's rows name.
template <typename Each>
absl::StatusOr<uint64_t> ForBlobs(sql::Database& copy, const BackupOptions& options,
                                  const Each& each) {
  const auto all = sql::ReadIn(
      copy, [](Session& session) { return session.Query("SELECT count(*) FROM blob", {}); });
  if (!all.ok()) return all.status();
  uint64_t done = 0;
  for (BlobName after;;) {
    const absl::StatusOr<Rows> rows = sql::ReadIn(copy, [&](Session& session) {
      return session.Query("SELECT name FROM blob WHERE name > $1 ORDER BY name LIMIT $2",
                           {after, kBlobsAtOnce});
    });
    if (!rows.ok()) return rows.status();
    for (const Row& row : *rows) {
      if (absl::Status status = each(row.Text(0)); !status.ok()) return status;
      ++done;
    }
    options.on_progress("copying blobs", done, static_cast<uint64_t>(all->front().Number(0)));
    if (static_cast<int64_t>(rows->size()) < kBlobsAtOnce) return done;
    after = rows->back().Text(0);
  }
}

// Of a copy whose rows are there; nullopt for a blob whose bytes are in a file.
absl::StatusOr<std::optional<std::string>> ReadSmall(sql::Database& copy, const BlobName& name) {
  return sql::ReadIn(copy, [&](Session& rows) { return sqlite::ReadSmallBlob(rows, name); });
}

absl::Status CheckBytes(const BlobName& name, const std::string& bytes, absl::string_view of_what) {
  if (NameBlob(bytes) == name) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(of_what, ": blob ", name,
                                          " no longer hashes to its name; `gprofhub admin fsck` "
                                          "tells what is damaged"));
}

// DATA_LOSS, naming the first damage.
absl::Status Inspect(const Engine& engine, const BackupOptions& options, bool hashes) {
  std::string first;
  InspectionOptions inspection;
  inspection.hashes = hashes;
  inspection.now = options.now();
  inspection.on_finding = [&](const InspectionFinding& finding) {
    if (finding.is_damage && first.empty()) {
      first = absl::StrCat(finding.kind, ": ", finding.subject);
    }
  };
  inspection.on_progress = [&](absl::string_view what, uint64_t done, uint64_t all) {
    options.on_progress(absl::StrCat("checking ", what), done, all);
  };
  const absl::StatusOr<InspectionSummary> summary =
      Inspection(engine.database, engine.blob_bytes).Run(inspection);
  if (!summary.ok()) return summary.status();
  if (summary->damages == 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "the copy has ", summary->damages, " damages, as its original does, it may be; the first is ",
      first, "; `gprofhub admin fsck` lists them"));
}

absl::StatusOr<int64_t> VersionOf(Session& session, absl::string_view query) {
  const absl::StatusOr<Rows> rows = session.Query(query, {});
  if (!rows.ok()) return rows.status();
  return rows->front().Number(0);
}

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
      const absl::StatusOr<int64_t> version =
          VersionOf(source, "SELECT max(version) FROM schema_version");
      const absl::StatusOr<int64_t> own = VersionOf(target, "PRAGMA user_version");
      if (!version.ok() || !own.ok()) return version.ok() ? own.status() : version.status();
      if (*version != *own) {
        return absl::FailedPreconditionError(absl::StrCat(
            "the database has schema version ", *version, ", and this gprofhub knows version ",
            *own, ": make the backup with the gprofhub that brought it to that version"));
      }
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

// What a copy does not take over: somebody else's lease, and files that Bazel handed over.
absl::Status ClearPassing(sql::Database& copy) {
  return copy.Write([](Session& session) {
    for (const absl::string_view table : {"transfer_piece", "transfer_blob", "transfer_room"}) {
      absl::Status status = session.Execute(absl::StrCat("DELETE FROM ", table), {});
      if (!status.ok()) return status;
    }
    return sql::SetProperty(session, sql::kBackupLease, 0);
  });
}

// Fills an empty folder with a copy of the store, and checks it.
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
    absl::Status status = sqlite::CopyDatabase(*directory, folder, [&] { return pulse(); });
    if (!status.ok()) return status;
  }
  {
    const absl::StatusOr<Engine> copy = sqlite::OpenSqlite(folder);
    if (!copy.ok()) return copy.status();
    if (absl::Status status = ClearPassing(*copy->database); !status.ok()) return status;
    const auto blobs = ForBlobs(*copy->database, options, [&](const BlobName& name) {
      if (absl::Status status = pulse(); !status.ok()) return status;
      const auto small = ReadSmall(*copy->database, name);
      if (!small.ok()) return small.status();
      absl::StatusOr<std::string> bytes =
          small->has_value() ? **small : store.blob_bytes->Read(name);
      if (!bytes.ok()) return bytes.status();
      absl::Status status = CheckBytes(name, *bytes, "the store");
      if (!status.ok()) return status;
      result.blob_bytes += bytes->size();
      if (small->has_value()) return absl::OkStatus();  // it came with the rows
      return sqlite::WriteBlobFile(folder, {name, *std::move(bytes)});
    });
    if (!blobs.ok()) return blobs.status();
    result.blobs = *blobs;
    if (absl::Status status = Inspect(*copy, options, /*hashes=*/true); !status.ok()) {
      return status;
    }
  }
  if (absl::Status status = sqlite::MakeSingleFile(folder); !status.ok()) return status;
  std::error_code error;
  fs::remove(folder + "/opening.lock", error);
  return absl::OkStatus();
}

// Makes the store's rows of the backup's in a folder, where its schema is brought up to date.
absl::StatusOr<Engine> OpenCopyOfRows(const std::string& backup, const std::string& folder,
                                      const BackupOptions& options) {
  absl::Status status = sqlite::CopyDatabase(backup, folder, [] { return absl::OkStatus(); });
  if (!status.ok()) return status;
  Opening opening;
  opening.migrate = true;
  opening.by = options.by;
  opening.now = options.now();
  return sqlite::OpenSqlite(folder, opening);
}

// A blob of the backup: `small` if it came with the rows, else its file.
absl::StatusOr<std::string> ReadOfBackup(const std::string& backup,
                                         const std::optional<std::string>& small,
                                         const BlobName& name) {
  absl::StatusOr<std::string> bytes =
      small.has_value() ? *small : sqlite::ReadBlobFile(backup, name);
  if (absl::IsNotFound(bytes.status())) {
    return absl::DataLossError(absl::StrCat(backup, ": blob ", name, " is missing"));
  }
  if (!bytes.ok()) return bytes.status();
  if (absl::Status status = CheckBytes(name, *bytes, backup); !status.ok()) return status;
  return bytes;
}

absl::Status RecordRestore(Session& session, const std::string& backup,
                           const BackupOptions& options) {
  return sql::AddAuditRow(session, options.by, {"", "store.restore", backup, ""}, options.now());
}

absl::Status RestoreEmbedded(const std::string& backup, const std::string& directory,
                             const BackupOptions& options, BackupResult& result) {
  const std::string place = WithoutSlash(directory);
  std::error_code error;
  if (fs::exists(place, error) && !fs::is_empty(place, error)) {
    return absl::FailedPreconditionError(
        absl::StrCat(place, ": is not empty; stop its server and move it away first"));
  }
  fs::create_directories(fs::absolute(place).parent_path(), error);
  absl::StatusOr<Partial> partial = Partial::Make(place);
  if (!partial.ok()) return partial.status();
  {
    const absl::StatusOr<Engine> copy = OpenCopyOfRows(backup, partial->path(), options);
    if (!copy.ok()) return copy.status();
    const auto blobs = ForBlobs(*copy->database, options, [&](const BlobName& name) {
      const auto small = ReadSmall(*copy->database, name);
      if (!small.ok()) return small.status();
      absl::StatusOr<std::string> bytes = ReadOfBackup(backup, *small, name);
      if (!bytes.ok()) return bytes.status();
      result.blob_bytes += bytes->size();
      if (small->has_value()) return absl::OkStatus();
      return sqlite::WriteBlobFile(partial->path(), {name, *std::move(bytes)});
    });
    if (!blobs.ok()) return blobs.status();
    result.blobs = *blobs;
    absl::Status status = Inspect(*copy, options, /*hashes=*/true);
    if (!status.ok()) return status;
    status = copy->database->Write(
        [&](Session& session) { return RecordRestore(session, backup, options); });
    if (!status.ok()) return status;
  }
  return partial->MoveTo(place);
}

absl::Status RestoreShared(const std::string& backup, const std::string& location,
                           const BackupOptions& options, BackupResult& result) {
  const absl::StatusOr<Engine> to = OpenEngine(location);
  if (!to.ok()) return to.status();
  std::error_code error;
  const absl::StatusOr<Partial> rows =
      Partial::Make((fs::temp_directory_path(error) / "gprofhub-restore").string());
  if (!rows.ok()) return rows.status();
  const absl::StatusOr<Engine> from = OpenCopyOfRows(backup, rows->path(), options);
  if (!from.ok()) return from.status();
  absl::Status status = from->database->Read([&](Session& source) {
    return to->database->Write([&](Session& target) {
      result = BackupResult();
      absl::Status checked = CheckIsEmpty(source, target);
      if (!checked.ok()) return checked;
      uint64_t pages = 0;
      RowCopy copy;
      copy.from = copy.sqlite = &source;
      copy.to = &target;
      copy.to_postgres = true;
      copy.bytes_of = [&](const BlobName& name) {
        const auto small = sqlite::ReadSmallBlob(source, name);
        if (!small.ok()) return absl::StatusOr<std::string>(small.status());
        absl::StatusOr<std::string> bytes = ReadOfBackup(backup, *small, name);
        if (bytes.ok()) {
          ++result.blobs;
          result.blob_bytes += bytes->size();
        }
        return bytes;
      };
      copy.pulse = [&](absl::string_view table) {
        options.on_progress(absl::StrCat("copying table ", table), ++pages, 0);
        return absl::OkStatus();
      };
      const absl::StatusOr<uint64_t> copied = CopyRows(copy);
      if (!copied.ok()) return copied.status();
      return RecordRestore(target, backup, options);
    });
  });
  if (!status.ok()) return status;
  return Inspect(*to, options, /*hashes=*/true);
}

}  // namespace

absl::StatusOr<BackupResult> MakeBackup(const std::string& location, const std::string& destination,
                                        const BackupOptions& options) {
  const std::string place = WithoutSlash(destination);
  if (place.empty()) return absl::InvalidArgumentError("the backup's folder has no name");
  std::error_code error;
  if (fs::exists(fs::symlink_status(place, error))) {
    return absl::AlreadyExistsError(
        absl::StrCat(place, ": is there already; name a folder that is not"));
  }
  const absl::StatusOr<Engine> store = OpenEngine(location);
  if (!store.ok()) return store.status();
  absl::StatusOr<Partial> partial = Partial::Make(place);
  if (!partial.ok()) return partial.status();
  BackupResult result;
  result.begun = options.now();
  absl::Status status = FillBackup(location, *store, partial->path(), options, result);
  if (status.ok()) status = partial->MoveTo(place);
  if (!status.ok()) return status;
  const std::string full = fs::absolute(place).string();
  status = Backups(store->database).RecordGood(result.begun, full, options.by, options.now());
  if (!status.ok()) {
    return base::WithContext(status, absl::StrCat(full, " is whole, but that was not recorded"));
  }
  return result;
}

absl::StatusOr<BackupResult> RestoreBackup(const std::string& backup, const std::string& location,
                                           const BackupOptions& options) {
  if (!sqlite::HasDatabase(backup)) {
    return absl::NotFoundError(absl::StrCat(backup, ": is no backup: it has no gprofhub.db"));
  }
  BackupResult result;
  result.begun = options.now();
  absl::Status status;
  if (IsShared(location)) {
    status = RestoreShared(backup, location, options, result);
  } else {
    const absl::StatusOr<std::string> directory = DirectoryOf(location);
    if (!directory.ok()) return directory.status();
    status = RestoreEmbedded(backup, *directory, options, result);
  }
  if (!status.ok()) return status;
  return result;
}

}  // namespace gprofhub::store
