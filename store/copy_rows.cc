#include "store/copy_rows.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "store/archive/held_blob.h"
#include "store/inspection.h"
#include "store/open_store.h"
#include "store/retention.h"
#include "store/rows/summaries.h"
#include "store/sql/database.h"
#include "store/sql/engine.h"
#include "store/sqlite/blob_folder.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/open_sqlite.h"
#include "store/validation.h"

namespace gprofhub::store {

namespace {

using sql::Row;
using sql::Rows;
using sql::Session;
namespace fs = std::filesystem;

constexpr int64_t kBlobsAtOnce = 500;

absl::Status SyncFolderOf(const std::string& place) {
  const std::string parent = fs::absolute(place).parent_path().string();
  const base::FileDescriptor folder(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() || fsync(folder.value()) != 0) return FileError("syncing", parent, errno);
  return absl::OkStatus();
}

// On file systems without RENAME_NOREPLACE, a file created at the destination within this moment is
// lost.
int RenameToNothing(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  std::error_code error;
  if (!fs::exists(fs::symlink_status(to, error))) return rename(from.c_str(), to.c_str());
  errno = EEXIST;
  return -1;
}

}  // namespace

absl::Status FileError(absl::string_view doing, const std::string& path, int error) {
  const std::string message = absl::StrCat(doing, " ", path, ": ", std::strerror(error));
  if (error == ENOSPC || error == EDQUOT) return absl::ResourceExhaustedError(message);
  return absl::FailedPreconditionError(message);
}

absl::StatusOr<PartialFolder> PartialFolder::Make(const std::string& place) {
  std::string path = absl::StrCat(place, ".partial.XXXXXX");
  if (mkdtemp(path.data()) == nullptr) return FileError("creating", path, errno);
  return PartialFolder(std::move(path));
}

PartialFolder::~PartialFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

PartialFolder::PartialFolder(PartialFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")) {}

absl::Status PartialFolder::MoveTo(const std::string& place) {
  RETURN_IF_ERROR(sqlite::SyncFileSystem(path_));
  if (rename(path_.c_str(), place.c_str()) != 0) return FileError("renaming to", place, errno);
  path_.clear();
  return SyncFolderOf(place);
}

absl::Status PartialFolder::MoveFileTo(absl::string_view file, const std::string& place) {
  const std::string path = absl::StrCat(path_, "/", file);
  // It contains all of the store's data, so only its owner may read it.
  if (chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0) return FileError("changing", path, errno);
  RETURN_IF_ERROR(sqlite::SyncFileSystem(path_));
  if (RenameToNothing(path, place) != 0) {
    if (errno == EEXIST) return absl::AlreadyExistsError(absl::StrCat(place, ": already exists"));
    return FileError("renaming to", place, errno);
  }
  return SyncFolderOf(place);
}

absl::StatusOr<uint64_t> ForBlobs(sql::Database& copy, const BackupOptions& options,
                                  const std::function<absl::Status(const BlobName& name)>& each) {
  ASSIGN_OR_RETURN(const auto all, sql::ReadIn(copy, [](Session& session) {
                     return session.Query("SELECT count(*) FROM blob", {});
                   }));
  uint64_t done = 0;
  for (BlobName after;;) {
    ASSIGN_OR_RETURN(const Rows rows, sql::ReadIn(copy, [&](Session& session) {
                       return session.Query(
                           "SELECT name FROM blob WHERE name > $1 ORDER BY name LIMIT $2",
                           {after, kBlobsAtOnce});
                     }));
    for (const Row& row : rows) {
      RETURN_IF_ERROR(each(row.Text(0)));
      ++done;
    }
    options.on_progress("copying blobs", done, static_cast<uint64_t>(all.front().Number(0)));
    if (static_cast<int64_t>(rows.size()) < kBlobsAtOnce) return done;
    after = rows.back().Text(0);
  }
}

absl::StatusOr<CopiedBlob> FindCopied(Session& copy, const sql::Dialect& dialect,
                                      const BlobName& name) {
  ASSIGN_OR_RETURN(std::optional<std::string> bytes, sqlite::ReadSmallBlob(copy, name));
  if (bytes.has_value()) return CopiedBlob{std::move(bytes), true};
  ASSIGN_OR_RETURN(const std::vector<BlobName> whole, FindWhole(copy, dialect, {name}));
  return CopiedBlob{std::nullopt, !whole.empty()};
}

absl::Status CheckBytes(const BlobName& name, const std::string& bytes, absl::string_view of_what) {
  if (NameBlob(bytes) == name) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(of_what, ": blob ", name,
                   " no longer matches its hash; run `gprofhub admin fsck` to list the damage"));
}

absl::StatusOr<uint64_t> CountArchived(Session& session) {
  ASSIGN_OR_RETURN(const Rows rows, session.Query("SELECT count(*) FROM archived_blob", {}));
  return static_cast<uint64_t>(rows.front().Number(0));
}

absl::Status InspectCopy(const sql::Engine& engine, const BackupOptions& options) {
  std::string first;
  InspectionOptions inspection;
  inspection.hashes = true;
  inspection.now = options.now();
  inspection.on_finding = [&](const InspectionFinding& finding) {
    if (finding.is_damage && first.empty()) {
      first = absl::StrCat(finding.kind, ": ", finding.subject);
    }
  };
  inspection.on_progress = [&](absl::string_view what, uint64_t done, uint64_t all) {
    options.on_progress(absl::StrCat("checking ", what), done, all);
  };
  ASSIGN_OR_RETURN(
      const InspectionSummary summary,
      Inspection(engine.database, engine.blob_bytes, /*archive=*/nullptr).Run(inspection));
  if (summary.damages == 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("damaged items in the copy: ", summary.damages,
                                          ", perhaps as in its original; the first is ", first,
                                          "; `gprofhub admin fsck` lists them"));
}

namespace {

using sql::Parameter;
using sql::Row;
using sql::Rows;
using sql::Session;

constexpr int64_t kRowsAtOnce = 100;
// The new store has its own rows there.
constexpr absl::string_view kOfItself = "property";
// Files uploaded by Bazel are consumed or expire within a day.
constexpr absl::string_view kPassing = "transfer_";

// Only SQLite has it. Blobs' bytes are copied with the blobs.
constexpr absl::string_view kOfSqlite = sqlite::kSmallBlobTable;

struct Column {
  std::string name;
  bool is_bytes = false;
};

struct Table {
  std::string name;
  std::vector<Column> columns;
  std::vector<size_t> key;  // the columns of its primary key, in their order
  std::set<std::string> refers_to;
};

absl::StatusOr<Table> Describe(Session& sqlite, const std::string& name) {
  ASSIGN_OR_RETURN(const Rows columns,
                   sqlite.Query(absl::StrCat("PRAGMA table_info(", name, ")"), {}));
  Table table;
  table.name = name;
  std::vector<std::pair<int64_t, size_t>> key;
  for (const Row& row : columns) {
    if (row.Number(5) != 0) key.emplace_back(row.Number(5), table.columns.size());
    table.columns.push_back({row.Text(1), row.Text(2) == "BLOB"});
  }
  if (key.empty()) return absl::InternalError(absl::StrCat("table ", name, " has no primary key"));
  std::sort(key.begin(), key.end());
  for (const auto& [place, column] : key) table.key.push_back(column);
  ASSIGN_OR_RETURN(const Rows references,
                   sqlite.Query(absl::StrCat("PRAGMA foreign_key_list(", name, ")"), {}));
  for (const Row& row : references) table.refers_to.insert(row.Text(2));
  return table;
}

// Each after those that it refers to.
absl::StatusOr<std::vector<Table>> Tables(Session& sqlite) {
  ASSIGN_OR_RETURN(
      const Rows names,
      sqlite.Query(
          "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' "
          "ESCAPE '\\' ORDER BY name",
          {}));
  std::vector<Table> rest;
  for (const Row& row : names) {
    if (absl::StartsWith(row.Text(0), kPassing) || row.Text(0) == kOfSqlite) continue;
    ASSIGN_OR_RETURN(Table table, Describe(sqlite, row.Text(0)));
    rest.push_back(std::move(table));
  }
  std::vector<Table> ordered;
  std::set<std::string> there;
  while (!rest.empty()) {
    const auto next = std::find_if(rest.begin(), rest.end(), [&there](const Table& table) {
      return std::includes(there.begin(), there.end(), table.refers_to.begin(),
                           table.refers_to.end());
    });
    if (next == rest.end()) return absl::InternalError("tables refer to each other in a circle");
    there.insert(next->name);
    ordered.push_back(std::move(*next));
    rest.erase(next);
  }
  return ordered;
}

std::string Names(const Table& table) {
  return absl::StrJoin(table.columns, ", ", [](std::string* out, const Column& column) {
    absl::StrAppend(out, column.name);
  });
}

Parameter ToParameter(const Row& row, size_t column, bool is_bytes) {
  const Row::Value& value = row.At(column);
  if (const int64_t* number = std::get_if<int64_t>(&value)) return *number;
  const absl::string_view text = std::get<absl::string_view>(value);
  if (is_bytes) return sql::Bytes{text};
  return text;
}

// The rows that follow those of `page`, or the first ones, in the order of the key.
absl::StatusOr<Rows> NextPage(Session& session, const Table& table, const Rows& page) {
  std::vector<std::string> key;
  std::vector<std::string> places;
  std::vector<Parameter> parameters;
  for (const size_t column : table.key) {
    key.push_back(table.columns[column].name);
    if (page.empty()) continue;
    parameters.push_back(ToParameter(page.back(), column, table.columns[column].is_bytes));
    places.push_back(absl::StrCat("$", parameters.size()));
  }
  const std::string names = absl::StrJoin(key, ", ");
  const std::string condition =
      page.empty() ? ""
                   : absl::StrCat(" WHERE (", names, ") > (", absl::StrJoin(places, ", "), ")");
  return session.Query(absl::StrCat("SELECT ", Names(table), " FROM ", table.name, condition,
                                    " ORDER BY ", names, " LIMIT ", kRowsAtOnce),
                       parameters);
}

absl::Status WriteRow(const RowCopy& copy, const Table& table, const Row& row) {
  std::vector<std::string> places;
  std::vector<Parameter> parameters;
  for (size_t column = 0; column < table.columns.size(); ++column) {
    if (std::holds_alternative<std::monostate>(row.At(column))) {
      places.push_back("NULL");
      continue;
    }
    parameters.push_back(ToParameter(row, column, table.columns[column].is_bytes));
    places.push_back(absl::StrCat("$", parameters.size()));
  }
  return copy.to->Execute(
      absl::StrCat("INSERT INTO ", table.name, " (", Names(table), ")",
                   copy.to_postgres ? " OVERRIDING SYSTEM VALUE" : "", " VALUES (",
                   absl::StrJoin(places, ", "), ")",
                   table.name == kOfItself ? " ON CONFLICT (name) DO NOTHING" : ""),
      parameters);
}

// PostgreSQL's row of a whole blob has its bytes.
absl::Status WriteBlob(const RowCopy& copy, const Table& table, const Row& row) {
  for (size_t column = 0; column < table.columns.size(); ++column) {
    if (table.columns[column].name != "name") continue;
    const BlobName name = row.Text(column);
    ASSIGN_OR_RETURN(std::optional<std::string> bytes, copy.bytes_of(name));
    if (!bytes.has_value()) return WriteRow(copy, table, row);
    return copy.to->AddBlob({name, *std::move(bytes)});
  }
  return absl::InternalError("blobs have no name");
}

// Sequences of PostgreSQL continue above the copied ids.
absl::Status MoveSequence(Session& postgres, const Table& table) {
  if (table.key.size() != 1 || table.columns[table.key[0]].name != "id") return absl::OkStatus();
  return postgres.Execute(
      absl::StrCat("SELECT setval(pg_get_serial_sequence('", table.name, "', 'id'), max(id)) FROM ",
                   table.name, " HAVING max(id) IS NOT NULL"),
      {});
}

absl::StatusOr<uint64_t> CopyTable(const RowCopy& copy, const Table& table) {
  const bool with_bytes = copy.to_postgres && table.name == "blob";
  uint64_t count = 0;
  Rows page;
  do {
    RETURN_IF_ERROR(copy.pulse(table.name));
    ASSIGN_OR_RETURN(Rows next, NextPage(*copy.from, table, page));
    for (const Row& row : next) {
      RETURN_IF_ERROR(with_bytes ? WriteBlob(copy, table, row) : WriteRow(copy, table, row));
      ++count;
    }
    page = std::move(next);
  } while (static_cast<int64_t>(page.size()) == kRowsAtOnce);
  if (copy.to_postgres) {
    RETURN_IF_ERROR(MoveSequence(*copy.to, table));
  }
  return count;
}

}  // namespace

absl::StatusOr<uint64_t> CopyRows(const RowCopy& copy) {
  ASSIGN_OR_RETURN(const std::vector<Table> tables, Tables(*copy.sqlite));
  uint64_t count = 0;
  for (const Table& table : tables) {
    ASSIGN_OR_RETURN(const uint64_t rows, CopyTable(copy, table));
    count += rows;
  }
  return count;
}

absl::Status CheckIsEmpty(Session& sqlite, Session& session) {
  ASSIGN_OR_RETURN(const std::vector<Table> tables, Tables(sqlite));
  for (const Table& table : tables) {
    if (table.name == kOfItself) continue;
    ASSIGN_OR_RETURN(const Rows rows,
                     session.Query(absl::StrCat("SELECT 1 FROM ", table.name, " LIMIT 1"), {}));
    if (!rows.empty()) {
      return absl::FailedPreconditionError(
          absl::StrCat("the store is not empty (table ", table.name,
                       " has rows); restore into an empty database"));
    }
  }
  return absl::OkStatus();
}

namespace {

using sql::Engine;
using sql::Rows;
using sql::Session;
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
  ASSIGN_OR_RETURN(const Engine to, sqlite::OpenSqlite(folder));
  return from.Read([&](Session& source) {
    RETURN_IF_ERROR(
        source.Execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY", {}));
    return to.database->Write([&](Session& target) {
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
      RETURN_IF_ERROR(session.Execute(absl::StrCat("DELETE FROM ", table), {}));
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
        RETURN_IF_ERROR(sqlite::AddSmallBlob(session, blob));
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
    RETURN_IF_ERROR(pulse());
    ASSIGN_OR_RETURN(const CopiedBlob copied, sql::ReadIn(copy, [&](Session& rows) {
                       return FindCopied(rows, copy.dialect(), name);
                     }));
    // A delta is checked with its base, when all blobs are copied.
    if (!copied.is_whole) return absl::OkStatus();
    ASSIGN_OR_RETURN(HeldBlob held, copied.bytes.has_value()
                                        ? HeldBlob{*copied.bytes, false}
                                        : ReadHeldBlob(*store.database, *store.blob_bytes, name));
    if (held.is_delta) {
      return absl::UnavailableError(absl::StrCat(
          "blob ", name, " became a delta when the backup began; start the backup again"));
    }
    RETURN_IF_ERROR(CheckBytes(name, held.bytes, "the store"));
    result.blob_bytes += held.bytes.size();
    return copied.bytes.has_value() ? absl::OkStatus() : writer.Add({name, std::move(held.bytes)});
  });
  if (!blobs.ok()) return blobs.status();
  result.blobs = *blobs;
  ASSIGN_OR_RETURN(const uint64_t archived, sql::ReadIn(copy, CountArchived));
  result.archived = archived;
  return writer.Flush();
}

// Makes a copy of the store in an empty folder: one file, and checked.
absl::Status FillBackup(const std::string& location, const Engine& store, const std::string& folder,
                        const BackupOptions& options, BackupResult& result) {
  Pulse pulse(*store.database, options);
  RETURN_IF_ERROR(pulse());
  if (IsShared(location)) {
    RETURN_IF_ERROR(CopyFromPostgres(*store.database, folder, pulse, options));
  } else {
    ASSIGN_OR_RETURN(const std::string directory, DirectoryOf(location));
    options.on_progress("copying rows", 0, 0);
    RETURN_IF_ERROR(sqlite::CopyDatabase(sqlite::DatabaseFile(directory),
                                         sqlite::DatabaseFile(folder), [&] { return pulse(); }));
  }
  {
    ASSIGN_OR_RETURN(const Engine copy, sqlite::OpenSqlite(folder));
    RETURN_IF_ERROR(ClearPassing(*copy.database));
    RETURN_IF_ERROR(CopyBlobs(store, *copy.database, pulse, options, result));
    RETURN_IF_ERROR(InspectCopy(copy, options));
  }
  return sqlite::MakeSingleFile(folder);
}

}  // namespace

absl::StatusOr<BackupResult> MakeBackup(const std::string& location, const std::string& destination,
                                        const BackupOptions& options) {
  if (destination.empty() || destination.back() == '/') {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", destination, "\" is not a file name; a backup is a file"));
  }
  std::error_code error;
  if (fs::exists(fs::symlink_status(destination, error))) {
    return absl::AlreadyExistsError(
        absl::StrCat(destination, ": already exists; choose another file name"));
  }
  ASSIGN_OR_RETURN(const Engine store, OpenEngine(location, OpenMode::kExisting));
  ASSIGN_OR_RETURN(PartialFolder partial, PartialFolder::Make(destination));
  BackupResult result;
  result.begun = options.now();
  RETURN_IF_ERROR(FillBackup(location, store, partial.path(), options, result));
  RETURN_IF_ERROR(partial.MoveFileTo(sqlite::kDatabaseFile, destination));
  const std::string full = fs::absolute(destination).string();
  const absl::Status recorded =
      Backups(store.database).RecordGood(result.begun, full, options.by, options.now());
  if (!recorded.ok()) {
    return base::WithContext(recorded,
                             absl::StrCat(full, " is complete, but the backup was not recorded"));
  }
  return result;
}

}  // namespace gprofhub::store
