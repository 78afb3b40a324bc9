#include "store/sqlite/blob_folder.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/status_macros.h"

namespace gprofhub::store::sqlite {

absl::Status DiskFull(absl::string_view directory, absl::string_view detail) {
  return base::WithPublicMessage(
      absl::ResourceExhaustedError(
          absl::StrCat("the disk of the data directory ", directory, " is full or over its quota (",
                       detail, "): nothing was stored; free or add space there, then try again")),
      "the server's disk is full: nothing was stored; try again once its operator has freed space");
}

absl::Status Hidden(absl::Status status) {
  if (status.GetPayload(base::kPublicMessage).has_value()) return status;
  switch (status.code()) {
    case absl::StatusCode::kUnavailable:
      return base::WithPublicMessage(std::move(status), "the store is busy: try again");
    case absl::StatusCode::kDataLoss:
      return base::WithPublicMessage(std::move(status),
                                     "the store is damaged; see the server's log");
    case absl::StatusCode::kFailedPrecondition:
      return base::WithPublicMessage(std::move(status),
                                     "the store cannot be written; see the server's log");
    default:
      return base::WithPublicMessage(std::move(status), "the store failed; see the server's log");
  }
}

namespace {

// An upload with at least this number of blobs syncs them together. One sync of ext4 costs as much
// as one of a file; with a few files, waiting only for them is worth it.
constexpr size_t kSyncTogether = 8;

absl::Status SystemError(absl::string_view directory, absl::string_view doing,
                         absl::string_view path, int error) {
  const std::string message = absl::StrCat(doing, " ", path, ": ", std::strerror(error));
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) return DiskFull(directory, message);
  if (error == EACCES || error == EPERM || error == EROFS) {
    return Hidden(absl::FailedPreconditionError(
        absl::StrCat(message, ": make the data directory writable for this user")));
  }
  return Hidden(absl::InternalError(message));
}

absl::Status MakeDirectory(const std::string& directory, const std::string& path) {
  if (mkdir(path.c_str(), S_IRWXU) == 0 || errno == EEXIST) return absl::OkStatus();
  return SystemError(directory, "creating", path, errno);
}

// Creates an empty file for a database, unless it exists: SQLite would make it readable for all.
// SQLite's log has the permissions of its database. Closing a descriptor of the file would release
// the locks of this process's connections, so none of an existing file is opened.
absl::Status MakeDatabaseFile(const std::string& directory, const std::string& path) {
  const base::FileDescriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.valid() || errno == EEXIST) return absl::OkStatus();
  return SystemError(directory, "creating", path, errno);
}

absl::Status SyncDirectory(const std::string& directory, const std::string& path) {
  const base::FileDescriptor file(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file.valid() || fsync(file.value()) != 0) {
    return SystemError(directory, "syncing", path, errno);
  }
  return absl::OkStatus();
}

// A file that is removed at the end, unless it was moved to its place.
class IncomingFile {
 public:
  explicit IncomingFile(std::string path) : path_(std::move(path)) {}
  ~IncomingFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  IncomingFile(IncomingFile&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  IncomingFile& operator=(IncomingFile&&) = delete;

  const std::string& path() const { return path_; }
  int MoveTo(const std::string& place) {
    if (rename(path_.c_str(), place.c_str()) != 0) return errno;
    path_.clear();
    return 0;
  }

 private:
  std::string path_;
};

// Creates a file with a unique name in incoming/, safe against other threads and processes.
base::FileDescriptor CreateIncoming(const std::string& directory, const BlobName& name,
                                    std::string& path) {
  for (int number = 0;; ++number) {
    path = absl::StrCat(directory, "/blobs/incoming/", name, ".", number);
    base::FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file.valid() || errno != EEXIST) return file;
  }
}

absl::Status WriteAll(const std::string& directory, const base::FileDescriptor& file,
                      const std::string& path, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file.value(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(directory, "writing", path, errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::StatusOr<IncomingFile> WriteIncoming(const std::string& directory, const Blob& blob,
                                           bool sync) {
  std::string path;
  const base::FileDescriptor file = CreateIncoming(directory, blob.name, path);
  if (!file.valid()) return SystemError(directory, "creating", path, errno);
  IncomingFile incoming(path);
  RETURN_IF_ERROR(WriteAll(directory, file, path, blob.bytes));
  if (sync && fsync(file.value()) != 0) return SystemError(directory, "syncing", path, errno);
  return incoming;
}

std::string PlaceOf(const std::string& directory, const BlobName& name) {
  return absl::StrCat(directory, "/blobs/", name.substr(0, 2), "/", name.substr(2));
}

// Writes the files of blobs. `make_home` makes the folder of this name, durably if its argument is
// set.
absl::Status AddFiles(
    const std::string& directory, absl::Span<const Blob* const> blobs,
    const std::function<absl::Status(const std::string& name, bool sync)>& make_home) {
  if (blobs.empty()) return absl::OkStatus();
  const bool together = blobs.size() >= kSyncTogether;
  // Opened before the first write, so that it receives every error since (Linux 5.8).
  const base::FileDescriptor file_system(
      open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto sync_all = [&]() -> absl::Status {
    if (file_system.valid() && syncfs(file_system.value()) == 0) return absl::OkStatus();
    return SystemError(directory, "syncing", directory, errno);
  };
  // All bytes are on the disk before the first file is moved. So a disk that fills up leaves
  // nothing behind, and no file that rows name is replaced by one that is not durable.
  std::vector<std::pair<const Blob*, IncomingFile>> files;
  for (const Blob* blob : blobs) {
    ASSIGN_OR_RETURN(IncomingFile file, WriteIncoming(directory, *blob, !together));
    files.emplace_back(blob, std::move(file));
  }
  if (together) {
    RETURN_IF_ERROR(sync_all());
  }
  std::set<std::string> homes;
  for (auto& [blob, file] : files) {
    const std::string name = blob->name.substr(0, 2);
    RETURN_IF_ERROR(make_home(name, !together));
    homes.insert(absl::StrCat(directory, "/blobs/", name));
    const std::string place = PlaceOf(directory, blob->name);
    if (const int error = file.MoveTo(place); error != 0) {
      return SystemError(directory, "moving a blob to", place, error);
    }
  }
  if (together) return sync_all();
  for (const std::string& home : homes) {
    RETURN_IF_ERROR(SyncDirectory(directory, home));
  }
  return absl::OkStatus();
}

// The file's status; nullopt if it does not exist.
absl::StatusOr<std::optional<struct stat>> StatOf(const std::string& directory,
                                                  const std::string& path) {
  struct stat about = {};
  if (lstat(path.c_str(), &about) == 0) return about;
  if (errno == ENOENT) return std::nullopt;
  return SystemError(directory, "looking at", path, errno);
}

absl::StatusOr<sql::RemovedBytes> RemoveFile(const std::string& directory, const std::string& path,
                                             absl::Time changed_before) {
  ASSIGN_OR_RETURN(const std::optional<struct stat> about, StatOf(directory, path));
  if (!about.has_value() || !S_ISREG(about->st_mode)) return sql::RemovedBytes();
  if (absl::TimeFromTimespec(about->st_mtim) >= changed_before) return sql::RemovedBytes();
  if (unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return sql::RemovedBytes();
    return SystemError(directory, "removing", path, errno);
  }
  return sql::RemovedBytes{1, static_cast<uint64_t>(about->st_size)};
}

// Entries of a folder. `name_of` maps a file's name to its blob.
template <typename NameOf>
absl::Status ListFolder(const std::string& directory, const std::string& folder,
                        const NameOf& name_of, bool incoming, std::vector<sql::LooseBytes>& list) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  if (error == std::errc::no_such_file_or_directory) return absl::OkStatus();
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    ASSIGN_OR_RETURN(const std::optional<struct stat> about,
                     StatOf(directory, entry->path().string()));
    if (!about.has_value()) continue;
    sql::LooseBytes bytes;
    bytes.place = entry->path().string();
    if (S_ISREG(about->st_mode)) bytes.name = name_of(entry->path().filename().string());
    bytes.incoming = incoming;
    bytes.size = static_cast<uint64_t>(about->st_size);
    bytes.changed = absl::TimeFromTimespec(about->st_mtim);
    list.push_back(std::move(bytes));
  }
  if (error) return SystemError(directory, "listing", folder, error.value());
  return absl::OkStatus();
}

// Whether it is one of the 256 folders of blobs, or incoming/.
bool BelongsIntoBlobs(const std::string& name) {
  return name == "incoming" || (name.size() == 2 && base::IsLowerHex(name));
}

}  // namespace

absl::Status WriteBlobFile(const std::string& directory, const Blob& blob) {
  const std::string path = PlaceOf(directory, blob.name);
  const std::string home = path.substr(0, path.rfind('/'));
  const std::string blobs = home.substr(0, home.rfind('/'));
  for (const std::string& folder : {blobs, home}) {
    RETURN_IF_ERROR(MakeDirectory(directory, folder));
  }
  const base::FileDescriptor file(
      open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file.valid()) return SystemError(directory, "creating", path, errno);
  return WriteAll(directory, file, path, blob.bytes);
}

absl::Status SyncFileSystem(const std::string& directory) {
  const base::FileDescriptor file(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file.valid() || syncfs(file.value()) != 0) {
    return SystemError(directory, "syncing", directory, errno);
  }
  return absl::OkStatus();
}

absl::Status MakeStoreFolder(const std::string& directory) {
  std::string place = directory;
  while (place.size() > 1 && place.back() == '/') place.pop_back();
  std::error_code error;
  // A relative path may have no parent.
  const std::filesystem::path parent = std::filesystem::path(place).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (!error && mkdir(place.c_str(), S_IRWXU) != 0) error.assign(errno, std::generic_category());
  if (error && !std::filesystem::is_directory(place)) {
    return absl::FailedPreconditionError(
        absl::StrCat("the data directory ", place, " cannot be created: ", error.message()));
  }
  return MakeDatabaseFile(directory, DatabaseFile(directory));
}

absl::StatusOr<BlobFolder> BlobFolder::Open(const std::string& directory) {
  const std::string blobs = absl::StrCat(directory, "/blobs");
  const std::string incoming = absl::StrCat(blobs, "/incoming");
  for (const std::string& path : {blobs, incoming}) {
    RETURN_IF_ERROR(MakeDirectory(directory, path));
  }
  for (const std::string& path : {directory, blobs}) {
    RETURN_IF_ERROR(SyncDirectory(directory, path));
  }
  base::FileDescriptor lock(open(incoming.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.valid()) return SystemError(directory, "opening", incoming, errno);
  // No other process has the folder open, so all of its files are leftovers.
  if (flock(lock.value(), LOCK_EX | LOCK_NB) == 0) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(incoming, error)) {
      std::filesystem::remove(entry.path(), error);
    }
    if (error) return SystemError(directory, "cleaning", incoming, error.value());
  }
  while (flock(lock.value(), LOCK_SH) != 0) {
    if (errno != EINTR) return SystemError(directory, "locking", incoming, errno);
  }
  return BlobFolder(directory, std::move(lock));
}

// `home` is the name of a folder: two hexadecimal digits.
absl::Status BlobFolder::MakeHome(const std::string& home, bool sync) const {
  uint32_t number = 0;
  if (!absl::SimpleHexAtoi(home, &number) || number >= known_homes_->size()) {
    return absl::InvalidArgumentError(absl::StrCat("no blob's name begins with '", home, "'"));
  }
  std::atomic<bool>& known = (*known_homes_)[number];
  if (known.load()) return absl::OkStatus();
  const std::string blobs = absl::StrCat(directory_, "/blobs");
  absl::Status status = MakeDirectory(directory_, absl::StrCat(blobs, "/", home));
  if (!status.ok() || !sync) return status;
  // Also for an existing file: its writer may have crashed before this sync.
  status = SyncDirectory(directory_, blobs);
  if (status.ok()) known.store(true);
  return status;
}

absl::Status BlobFolder::Add(absl::Span<const Blob* const> blobs) const {
  return AddFiles(directory_, blobs,
                  [this](const std::string& home, bool sync) { return MakeHome(home, sync); });
}

absl::Status EnsureBlobFile(const std::string& directory, const Blob& blob) {
  if (access(PlaceOf(directory, blob.name).c_str(), F_OK) == 0) return absl::OkStatus();
  const Blob* const missing = &blob;
  return AddFiles(directory, {&missing, 1}, [&](const std::string& name, bool) {
    const std::string blobs = absl::StrCat(directory, "/blobs");
    absl::Status status = MakeDirectory(directory, absl::StrCat(blobs, "/", name));
    return status.ok() ? SyncDirectory(directory, blobs) : status;
  });
}

absl::StatusOr<std::string> BlobFolder::Read(const BlobName& name) const {
  const std::string path = PlaceOf(directory_, name);
  const base::FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) {
    if (errno == ENOENT) return absl::NotFoundError(absl::StrCat("there is no blob ", name));
    return SystemError(directory_, "opening", path, errno);
  }
  struct stat about = {};
  if (fstat(file.value(), &about) != 0) return SystemError(directory_, "reading", path, errno);
  std::string bytes(static_cast<size_t>(about.st_size), '\0');
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t got = read(file.value(), bytes.data() + at, bytes.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError(directory_, "reading", path, errno);
    if (got == 0) {
      return Hidden(
          absl::DataLossError(absl::StrCat(path, ": ends at byte ", at, " of ", bytes.size())));
    }
    at += static_cast<size_t>(got);
  }
  return bytes;
}

absl::StatusOr<std::vector<sql::LooseBytes>> BlobFolder::List(int part) const {
  std::vector<sql::LooseBytes> list;
  const std::string blobs = absl::StrCat(directory_, "/blobs");
  const auto nobodys = [](const std::string&) { return BlobName(); };
  if (part == 0) {
    RETURN_IF_ERROR(ListFolder(directory_, blobs + "/incoming", nobodys, /*incoming=*/true, list));
    std::vector<sql::LooseBytes> others;
    RETURN_IF_ERROR(ListFolder(directory_, blobs, nobodys, /*incoming=*/false, others));
    for (sql::LooseBytes& other : others) {
      const std::string name = std::filesystem::path(other.place).filename().string();
      if (!BelongsIntoBlobs(name)) list.push_back(std::move(other));
    }
    return list;
  }
  const std::string home = absl::StrCat(absl::Hex(part - 1, absl::kZeroPad2));
  const auto name_of = [&home](const std::string& file) {
    constexpr size_t kRestOfName = 62;
    return file.size() == kRestOfName && base::IsLowerHex(file) ? home + file : BlobName();
  };
  RETURN_IF_ERROR(ListFolder(directory_, absl::StrCat(blobs, "/", home), name_of,
                             /*incoming=*/false, list));
  return list;
}

absl::StatusOr<sql::RemovedBytes> BlobFolder::Remove(const BlobName& name,
                                                     absl::Time changed_before) const {
  return RemoveFile(directory_, PlaceOf(directory_, name), changed_before);
}

absl::StatusOr<sql::RemovedBytes> BlobFolder::RemoveIncoming(absl::Time changed_before) const {
  ASSIGN_OR_RETURN(const std::vector<sql::LooseBytes> list, List(0));
  sql::RemovedBytes removed;
  for (const sql::LooseBytes& bytes : list) {
    if (!bytes.incoming) continue;
    ASSIGN_OR_RETURN(const sql::RemovedBytes one,
                     RemoveFile(directory_, bytes.place, changed_before));
    removed.count += one.count;
    removed.bytes += one.bytes;
  }
  return removed;
}

namespace {

constexpr int kPagesAtOnce = 4096;

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
    return absl::NotFoundError(absl::StrCat(from, ": no such file"));
  }
  if (access(to.c_str(), F_OK) == 0) {
    return absl::AlreadyExistsError(absl::StrCat(to, ": already exists"));
  }
  absl::StatusOr<Handle> source = Open(from, SQLITE_OPEN_READWRITE);
  // Of a backup that cannot be written.
  if (!source.ok()) source = Open(from, SQLITE_OPEN_READONLY);
  if (!source.ok()) return source.status();
  RETURN_IF_ERROR(MakeDatabaseFile(to, to));
  ASSIGN_OR_RETURN(const Handle target, Open(to, SQLITE_OPEN_READWRITE));
  // The snapshot: later commits are not visible, and do not disturb.
  RETURN_IF_ERROR(Run(source->get(), from, "BEGIN; SELECT count(*) FROM sqlite_schema;"));
  sqlite3_backup* backup = sqlite3_backup_init(target.get(), "main", source->get(), "main");
  if (backup == nullptr) return ErrorOf(target.get(), to, "writing");
  int code = SQLITE_OK;
  absl::Status status;
  while (code == SQLITE_OK && status.ok()) {
    code = sqlite3_backup_step(backup, kPagesAtOnce);
    status = pulse();
  }
  const int finished = sqlite3_backup_finish(backup);
  if (!status.ok()) return status;
  if (code != SQLITE_DONE || finished != SQLITE_OK) {
    return ErrorOf(target.get(), to, "copying to");
  }
  return Run(source->get(), from, "COMMIT");
}

absl::Status MakeSingleFile(const std::string& directory) {
  const std::string path = DatabaseFile(directory);
  ASSIGN_OR_RETURN(const Handle database, Open(path, SQLITE_OPEN_READWRITE));
  return Run(database.get(), path,
             "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE;");
}

absl::Status Compact(const std::string& directory) {
  const std::string path = DatabaseFile(directory);
  ASSIGN_OR_RETURN(const Handle database, Open(path, SQLITE_OPEN_READWRITE));
  return Run(database.get(), path, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE);");
}

}  // namespace gprofhub::store::sqlite
