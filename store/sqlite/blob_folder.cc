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

#include "absl/strings/str_cat.h"
#include "store/sqlite/connection.h"

namespace gprofhub::store::sqlite {
namespace {

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

absl::StatusOr<IncomingFile> WriteIncoming(const std::string& directory, const Blob& blob) {
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
  if (fsync(file.value()) != 0) return SystemError(directory, "syncing", path, errno);
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

absl::Status BlobFolder::Add(absl::Span<const Blob* const> blobs) const {
  // All bytes are on the disk before the first file is moved. So a disk that fills up leaves
  // nothing behind.
  std::vector<std::pair<const Blob*, IncomingFile>> files;
  for (const Blob* blob : blobs) {
    absl::StatusOr<IncomingFile> file = WriteIncoming(directory_, *blob);
    if (!file.ok()) return file.status();
    files.emplace_back(blob, *std::move(file));
  }
  std::set<std::string> directories;
  for (auto& [blob, file] : files) {
    const std::string home = absl::StrCat(directory_, "/blobs/", blob->name.substr(0, 2));
    if (directories.insert(home).second) {
      if (absl::Status status = MakeDirectory(directory_, home); !status.ok()) return status;
    }
    const std::string place = absl::StrCat(home, "/", blob->name.substr(2));
    if (const int error = file.MoveTo(place); error != 0) {
      return SystemError(directory_, "moving a blob to", place, error);
    }
  }
  if (!directories.empty()) directories.insert(absl::StrCat(directory_, "/blobs"));
  for (const std::string& path : directories) {
    if (absl::Status status = SyncDirectory(directory_, path); !status.ok()) return status;
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
