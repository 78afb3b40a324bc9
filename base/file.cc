#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace gprofhub::base {

namespace {

// Initial buffer for files that report no size. Others get exactly what they need, because some
// callers hold thousands of small files.
constexpr size_t kFirstRoom = 4096;

class OpenFile {
 public:
  explicit OpenFile(const std::string& path, int flags = 0)
      : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC | flags)) {}
  ~OpenFile() {
    if (number_ >= 0) close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int number() const { return number_; }

 private:
  const int number_;
};

// As perror formats it: the reason alone if the name is empty.
std::string SystemError(const std::string& name, int error) {
  return absl::StrCat(name, name.empty() ? "" : ": ", std::strerror(error));
}

// Size as reported by the file system, 0 for a file of /proc; nothing for a pipe and the like.
std::optional<uint64_t> RegularSize(int file) {
  struct stat info;
  if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return static_cast<uint64_t>(info.st_size);
}

absl::Status ReadToEnd(int file, const std::string& name, uint64_t max_bytes,
                       std::string& content) {
  const auto too_large = [&] {
    return absl::ResourceExhaustedError(
        absl::StrCat(name, ": is larger than the ", max_bytes, " bytes allowed"));
  };
  const uint64_t stated = RegularSize(file).value_or(0);
  if (stated > max_bytes) return too_large();
  // One byte more, so that the first read reaches the end of the file.
  const size_t room = stated > 0 ? static_cast<size_t>(stated) + 1 : kFirstRoom;
  content.resize(std::max(content.size(), room));
  size_t size = 0;
  while (true) {
    const ssize_t got = read(file, content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EISDIR) return absl::FailedPreconditionError(SystemError(name, EISDIR));
    if (got < 0) return absl::UnavailableError(SystemError(name, errno));
    if (got == 0) break;
    size += static_cast<size_t>(got);
    if (size > max_bytes) return too_large();
    if (size == content.size()) content.resize(2 * size);
  }
  content.resize(size);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadFileInto(const std::string& path, std::string& content, uint64_t max_bytes) {
  const OpenFile file(path);
  if (file.number() < 0) return absl::NotFoundError(SystemError(path, errno));
  return ReadToEnd(file.number(), path, max_bytes, content);
}

absl::StatusOr<std::string> ReadFile(const std::string& path, uint64_t max_bytes) {
  std::string content;
  RETURN_IF_ERROR(ReadFileInto(path, content, max_bytes));
  return content;
}

std::string ReadBeginning(const std::string& path, size_t bytes) {
  const OpenFile file(path, O_NONBLOCK);
  if (!RegularSize(file.number()).has_value()) return "";
  std::string content(bytes, '\0');
  content.resize(ReadUpTo(file.number(), content.data(), bytes));
  return content;
}

size_t ReadUpTo(int file, char* to, size_t bytes) {
  size_t size = 0;
  while (size < bytes) {
    errno = 0;
    const ssize_t got = read(file, to + size, bytes - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<size_t>(got);
  }
  return size;
}

absl::Status ReadStandardInput(std::string& content, uint64_t max_bytes) {
  return ReadToEnd(STDIN_FILENO, "standard input", max_bytes, content);
}

}  // namespace gprofhub::base
