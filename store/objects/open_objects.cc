#include "store/objects/open_objects.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "store/objects/object_store.h"
#include "store/objects/s3_objects.h"

namespace gprofhub::store {

namespace {

constexpr size_t kMostListed = 1000;
constexpr absl::string_view kIncoming = ".incoming";
constexpr absl::Duration kIncomingStays = absl::Hours(24);

base::FileDescriptor Open(const std::string& path, int flags) {
  return base::FileDescriptor(open(path.c_str(), flags | O_CLOEXEC, 0600));
}

// An error about an object, or about all of them. It hides the folder's path.
absl::Status Failed(absl::string_view doing, absl::string_view what, int error) {
  const std::string message = absl::StrCat(doing, " ", what, ": ", std::strerror(error));
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      return absl::ResourceExhaustedError(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    case ENOTDIR:
    case EISDIR:
      return absl::FailedPreconditionError(
          absl::StrCat(message, ": the key of another object is a prefix directory of this key"));
    default:
      return absl::UnavailableError(message);
  }
}

absl::Status WriteAll(const base::FileDescriptor& file, absl::string_view bytes,
                      absl::string_view key) {
  while (!bytes.empty()) {
    const ssize_t written = write(file.value(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed("writing", key, errno);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  if (fsync(file.value()) != 0) return Failed("syncing", key, errno);
  return absl::OkStatus();
}

absl::Status SyncFolder(const std::string& path, absl::string_view key) {
  const base::FileDescriptor folder = Open(path, O_RDONLY | O_DIRECTORY);
  if (!folder.valid() || fsync(folder.value()) != 0) return Failed("syncing", key, errno);
  return absl::OkStatus();
}

// Renames without replacing: 0, or an errno such as EEXIST. Falls back to link() on file systems
// without that kind of rename.
int MoveToNothing(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (link(from.c_str(), to.c_str()) != 0) return errno;
  return unlink(from.c_str()) == 0 ? 0 : errno;
}

// The names in a folder, in the order of the keys that they begin; folders' names end with '/'.
absl::StatusOr<std::vector<std::string>> NamesIn(const std::string& path) {
  std::vector<std::string> names;
  DIR* const folder = opendir(path.c_str());
  if (folder == nullptr) {
    if (errno == ENOENT) return names;  // removed meanwhile
    return Failed("listing", "objects", errno);
  }
  while (const dirent* entry = readdir(folder)) {
    std::string name = entry->d_name;
    if (name == "." || name == ".." || name == kIncoming) continue;
    struct stat about = {};
    bool is_folder = entry->d_type == DT_DIR;
    if (entry->d_type == DT_UNKNOWN && lstat(absl::StrCat(path, "/", name).c_str(), &about) == 0) {
      is_folder = S_ISDIR(about.st_mode);
    }
    if (is_folder) name += '/';
    names.push_back(std::move(name));
  }
  closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

class FolderObjects final : public ObjectStore {
 public:
  explicit FolderObjects(std::string folder) : folder_(std::move(folder)) {}

  absl::Status Put(absl::string_view key, absl::string_view bytes) override {
    RETURN_IF_ERROR(CheckObjectKey(key));
    RETURN_IF_ERROR(CheckObjectSize(bytes));
    ASSIGN_OR_RETURN(const std::string name, base::RandomBytes(8));
    const std::string incoming =
        absl::StrCat(folder_, "/", kIncoming, "/", absl::BytesToHexString(name));
    absl::Status status = WriteIncoming(incoming, bytes, key);
    if (status.ok()) status = MakeFoldersOf(key);
    if (status.ok()) status = MoveTo(incoming, key, bytes);
    if (!status.ok()) unlink(incoming.c_str());
    return status;
  }

  absl::StatusOr<std::string> Read(absl::string_view key, uint64_t offset,
                                   uint64_t length) override {
    RETURN_IF_ERROR(CheckObjectKey(key));
    const base::FileDescriptor file = Open(PathOf(key), O_RDONLY);
    if (!file.valid()) {
      if (errno != ENOENT && errno != ENOTDIR) return Failed("opening", key, errno);
      if (access(folder_.c_str(), F_OK) != 0) return Failed("opening", "the folder", errno);
      return absl::NotFoundError(absl::StrCat("there is no object ", key));
    }
    struct stat about = {};
    if (fstat(file.value(), &about) != 0) return Failed("looking at", key, errno);
    if (!S_ISREG(about.st_mode)) return absl::NotFoundError(absl::StrCat(key, " is not an object"));
    const uint64_t size = static_cast<uint64_t>(about.st_size);
    if (offset > size || length > size - offset) {
      return absl::OutOfRangeError(absl::StrCat("object ", key, " has ", size, " bytes"));
    }
    std::string bytes(length, '\0');
    for (size_t done = 0; done < bytes.size();) {
      const ssize_t count = pread(file.value(), bytes.data() + done, bytes.size() - done,
                                  static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return Failed("reading", key, errno);
      if (count == 0) return absl::OutOfRangeError(absl::StrCat("object ", key, " was truncated"));
      done += static_cast<size_t>(count);
    }
    return bytes;
  }

  absl::Status Delete(absl::string_view key) override {
    RETURN_IF_ERROR(CheckObjectKey(key));
    if (unlink(PathOf(key).c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) {
      return absl::OkStatus();
    }
    return Failed("deleting", key, errno);
  }

  absl::StatusOr<ObjectPage> List(absl::string_view prefix, absl::string_view after) override {
    if (access(folder_.c_str(), F_OK) != 0) return Failed("listing", "objects", errno);
    ObjectPage page;
    RETURN_IF_ERROR(ListIn("", prefix, after, page));
    return page;
  }

 private:
  std::string PathOf(absl::string_view key) const { return absl::StrCat(folder_, "/", key); }

  absl::Status WriteIncoming(const std::string& path, absl::string_view bytes,
                             absl::string_view key) const {
    const std::string folder = absl::StrCat(folder_, "/", kIncoming);
    if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)
      return Failed("writing", key, errno);
    const base::FileDescriptor file = Open(path, O_WRONLY | O_CREAT | O_EXCL);
    if (!file.valid()) return Failed("writing", key, errno);
    return WriteAll(file, bytes, key);
  }

  // Durable, parents first.
  absl::Status MakeFoldersOf(absl::string_view key) const {
    std::string parent = folder_;
    for (size_t slash = key.find('/'); slash != absl::string_view::npos;
         slash = key.find('/', slash + 1)) {
      const std::string path = PathOf(key.substr(0, slash));
      if (mkdir(path.c_str(), S_IRWXU) == 0) {
        RETURN_IF_ERROR(SyncFolder(parent, key));
      } else if (errno != EEXIST) {
        return Failed("writing", key, errno);
      }
      parent = path;
    }
    return absl::OkStatus();
  }

  absl::Status MoveTo(const std::string& incoming, absl::string_view key, absl::string_view bytes) {
    const std::string place = PathOf(key);
    const int error = MoveToNothing(incoming, place);
    if (error == EEXIST) {
      const absl::StatusOr<std::string> there = Read(key, 0, bytes.size());
      struct stat about = {};
      if (!there.ok() || *there != bytes || stat(place.c_str(), &about) != 0 ||
          static_cast<uint64_t>(about.st_size) != bytes.size()) {
        return absl::AlreadyExistsError(
            absl::StrCat("object ", key, " already exists with other content"));
      }
      unlink(incoming.c_str());
    } else if (error != 0) {
      return Failed("writing", key, error);
    }
    return SyncFolder(place.substr(0, place.rfind('/')), key);
  }

  // Lists keys that begin with `home`: a folder's key with its '/', or "".
  absl::Status ListIn(const std::string& home, absl::string_view prefix, absl::string_view after,
                      ObjectPage& page) const {
    ASSIGN_OR_RETURN(const std::vector<std::string> names,
                     NamesIn(absl::StrCat(folder_, "/", home)));
    for (const std::string& name : names) {
      const std::string key = absl::StrCat(home, name);
      if (key.back() == '/') {
        const bool may_have = absl::StartsWith(key, prefix) || absl::StartsWith(prefix, key);
        const bool may_follow = key > after || absl::StartsWith(after, key);
        if (!may_have || !may_follow) continue;
        RETURN_IF_ERROR(ListIn(key, prefix, after, page));
        if (!page.is_last) return absl::OkStatus();
        continue;
      }
      struct stat about = {};
      if (key <= after || !absl::StartsWith(key, prefix) || !CheckObjectKey(key).ok() ||
          lstat(PathOf(key).c_str(), &about) != 0 || !S_ISREG(about.st_mode)) {
        continue;
      }
      if (page.objects.size() == kMostListed) {
        page.is_last = false;
        return absl::OkStatus();
      }
      page.objects.push_back(
          {key, static_cast<uint64_t>(about.st_size), absl::TimeFromTimespec(about.st_mtim)});
    }
    return absl::OkStatus();
  }

  const std::string folder_;
};

void RemoveOldIncoming(const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/", kIncoming);
  const absl::StatusOr<std::vector<std::string>> names = NamesIn(path);
  if (!names.ok()) return;  // they waste only disk space
  for (const std::string& name : *names) {
    const std::string file = absl::StrCat(path, "/", name);
    struct stat about = {};
    if (lstat(file.c_str(), &about) != 0 || !S_ISREG(about.st_mode)) continue;
    if (absl::TimeFromTimespec(about.st_mtim) > absl::Now() - kIncomingStays) continue;
    unlink(file.c_str());
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<ObjectStore>> OpenFolderObjects(const std::string& folder) {
  struct stat about = {};
  if (stat(folder.c_str(), &about) != 0 || !S_ISDIR(about.st_mode)) {
    return absl::FailedPreconditionError(
        absl::StrCat(folder, ": no such directory; create or mount it"));
  }
  RemoveOldIncoming(folder);
  return std::make_unique<FolderObjects>(folder);
}

absl::StatusOr<std::unique_ptr<ObjectStore>> OpenObjects(absl::string_view location) {
  constexpr absl::string_view kForms =
      "use a directory (/PATH or file:PATH) or a bucket (s3://BUCKET/PREFIX)";
  if (absl::StartsWith(location, "s3:")) return OpenS3Objects(location, {});
  absl::string_view path = location;
  const bool is_named = absl::ConsumePrefix(&path, "file:");
  if (path.empty() || (!is_named && path[0] != '/') || absl::StartsWith(path, "//") ||
      absl::StrContains(path, absl::string_view("\0", 1))) {
    // The rest may contain a secret.
    const size_t end = std::min(location.find(':'), size_t{20});
    return absl::InvalidArgumentError(absl::StrCat(
        "unknown location prefix \"", absl::CHexEscape(location.substr(0, end)), "\"; ", kForms));
  }
  return OpenFolderObjects(std::string(path));
}

}  // namespace gprofhub::store
