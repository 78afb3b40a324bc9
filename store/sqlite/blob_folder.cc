#include "store/sqlite/blob_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "store/sqlite/connection.h"

namespace gprofhub::store::sqlite {
namespace {

// An upload with so many blobs syncs them together. One sync of ext4 costs as much as one of a
// file; a few files are worth waiting only for them.
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
  if (mkdir(path.c_str(), 0777) == 0 || errno == EEXIST) return absl::OkStatus();
  return SystemError(directory, "creating", path, errno);
}

absl::Status SyncDirectory(const std::string& directory, const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
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

// Creates a file of its own in incoming/, whatever other threads and processes
// create there.
FileDescriptor CreateIncoming(const std::string& directory, const BlobName& name,
                              std::string& path) {
  for (int number = 0;; ++number) {
    path = absl::StrCat(directory, "/blobs/incoming/", name, ".", number);
    FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.valid() || errno != EEXIST) return file;
  }
}

absl::StatusOr<IncomingFile> WriteIncoming(const std::string& directory, const Blob& blob,
                                           bool sync) {
  std::string path;
  const FileDescriptor file = CreateIncoming(directory, blob.name, path);
  if (!file.valid()) return SystemError(directory, "creating", path, errno);
  IncomingFile incoming(path);
  absl::string_view rest = blob.bytes;
  while (!rest.empty()) {
    const ssize_t written = write(file.value(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(directory, "writing", path, errno);
    rest.remove_prefix(static_cast<size_t>(written));
  }
  if (sync && fsync(file.value()) != 0) return SystemError(directory, "syncing", path, errno);
  return incoming;
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (valid()) close(value_);
}

absl::StatusOr<BlobFolder> BlobFolder::Open(const std::string& directory) {
  const std::string blobs = absl::StrCat(directory, "/blobs");
  const std::string incoming = absl::StrCat(blobs, "/incoming");
  for (const std::string& path : {blobs, incoming}) {
    if (absl::Status status = MakeDirectory(directory, path); !status.ok()) return status;
  }
  for (const std::string& path : {directory, blobs}) {
    if (absl::Status status = SyncDirectory(directory, path); !status.ok()) return status;
  }
  FileDescriptor lock(open(incoming.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.valid()) return SystemError(directory, "opening", incoming, errno);
  // No other process has the folder open, so whatever lies there is a leftover.
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
  // Also where it was there: who made it may not have come as far as this.
  status = SyncDirectory(directory_, blobs);
  if (status.ok()) known.store(true);
  return status;
}

absl::Status BlobFolder::Add(absl::Span<const Blob* const> blobs) const {
  if (blobs.empty()) return absl::OkStatus();
  const bool together = blobs.size() >= kSyncTogether;
  // Open from before the first write, so that it is told of every error since (Linux 5.8).
  const FileDescriptor file_system(open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto sync_all = [&]() -> absl::Status {
    if (file_system.valid() && syncfs(file_system.value()) == 0) return absl::OkStatus();
    return SystemError(directory_, "syncing", directory_, errno);
  };
  // All bytes are on the disk before the first file is moved. So a disk that fills up leaves
  // nothing behind, and no file that rows name is replaced by one that is not durable.
  std::vector<std::pair<const Blob*, IncomingFile>> files;
  for (const Blob* blob : blobs) {
    absl::StatusOr<IncomingFile> file = WriteIncoming(directory_, *blob, !together);
    if (!file.ok()) return file.status();
    files.emplace_back(blob, *std::move(file));
  }
  if (together) {
    if (absl::Status status = sync_all(); !status.ok()) return status;
  }
  std::set<std::string> homes;
  for (auto& [blob, file] : files) {
    const std::string name = blob->name.substr(0, 2);
    if (absl::Status status = MakeHome(name, !together); !status.ok()) return status;
    const std::string home = absl::StrCat(directory_, "/blobs/", name);
    homes.insert(home);
    const std::string place = absl::StrCat(home, "/", blob->name.substr(2));
    if (const int error = file.MoveTo(place); error != 0) {
      return SystemError(directory_, "moving a blob to", place, error);
    }
  }
  if (together) return sync_all();
  for (const std::string& home : homes) {
    if (absl::Status status = SyncDirectory(directory_, home); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> BlobFolder::Read(const BlobName& name) const {
  const std::string path =
      absl::StrCat(directory_, "/blobs/", name.substr(0, 2), "/", name.substr(2));
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
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

}  // namespace gprofhub::store::sqlite
