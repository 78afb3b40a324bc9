#include "store/sqlite/copy_database.h"

#include <sqlite3.h>
#include <unistd.h>

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "store/sqlite/disk_full.h"

namespace gprofhub::store::sqlite {
namespace {

constexpr int kPagesAtOnce = 4096;
constexpr int kBusyTimeoutMs = 30000;

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using Handle = std::unique_ptr<sqlite3, CloseDatabase>;

absl::Status ErrorOf(sqlite3* database, const std::string& path, absl::string_view doing) {
  const int code = database == nullptr ? SQLITE_NOMEM : sqlite3_extended_errcode(database);
  const std::string message =
      absl::StrCat(doing, " ", path, ": ",
                   database == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(database));
  switch (code & 0xff) {
    case SQLITE_FULL:
      return DiskFull(path.substr(0, path.rfind('/')), message);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::DataLossError(message);
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return absl::FailedPreconditionError(message);
    default:
      return absl::InternalError(message);
  }
}

absl::StatusOr<Handle> Open(const std::string& path, int flags) {
  sqlite3* database = nullptr;
  const int code =
      sqlite3_open_v2(path.c_str(), &database, flags | SQLITE_OPEN_EXRESCODE, /*zVfs=*/nullptr);
  Handle handle(database);
  if (code != SQLITE_OK) return ErrorOf(handle.get(), path, "opening");
  sqlite3_busy_timeout(handle.get(), kBusyTimeoutMs);
  return handle;
}

absl::Status Run(sqlite3* database, const std::string& path, const char* script) {
  if (sqlite3_exec(database, script, nullptr, nullptr, nullptr) == SQLITE_OK) {
    return absl::OkStatus();
  }
  return ErrorOf(database, path, "reading or writing");
}

}  // namespace

std::string DatabaseFile(const std::string& directory) {
  return absl::StrCat(directory, "/", kDatabaseFile);
}

absl::Status CopyDatabase(const std::string& from, const std::string& to,
                          const std::function<absl::Status()>& pulse) {
  if (access(from.c_str(), F_OK) != 0) {
    return absl::NotFoundError(absl::StrCat(from, ": there is no such file"));
  }
  if (access(to.c_str(), F_OK) == 0) {
    return absl::AlreadyExistsError(absl::StrCat(to, ": is there already"));
  }
  absl::StatusOr<Handle> source = Open(from, SQLITE_OPEN_READWRITE);
  // Of a backup that cannot be written.
  if (!source.ok()) source = Open(from, SQLITE_OPEN_READONLY);
  if (!source.ok()) return source.status();
  const absl::StatusOr<Handle> target = Open(to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!target.ok()) return target.status();
  // The snapshot: later commits are not visible, and do not disturb.
  absl::Status status = Run(source->get(), from, "BEGIN; SELECT count(*) FROM sqlite_schema;");
  if (!status.ok()) return status;
  sqlite3_backup* backup = sqlite3_backup_init(target->get(), "main", source->get(), "main");
  if (backup == nullptr) return ErrorOf(target->get(), to, "writing");
  int code = SQLITE_OK;
  while (code == SQLITE_OK && status.ok()) {
    code = sqlite3_backup_step(backup, kPagesAtOnce);
    status = pulse();
  }
  const int finished = sqlite3_backup_finish(backup);
  if (!status.ok()) return status;
  if (code != SQLITE_DONE || finished != SQLITE_OK) {
    return ErrorOf(target->get(), to, "copying to");
  }
  return Run(source->get(), from, "COMMIT");
}

absl::Status MakeSingleFile(const std::string& directory) {
  const std::string path = DatabaseFile(directory);
  const absl::StatusOr<Handle> database = Open(path, SQLITE_OPEN_READWRITE);
  if (!database.ok()) return database.status();
  return Run(database->get(), path,
             "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;");
}

absl::Status Compact(const std::string& directory) {
  const std::string path = DatabaseFile(directory);
  const absl::StatusOr<Handle> database = Open(path, SQLITE_OPEN_READWRITE);
  if (!database.ok()) return database.status();
  return Run(database->get(), path, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
}

}  // namespace gprofhub::store::sqlite
