// Files as bytes, and owned file descriptors.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace gprofhub::base {

// Reads whole files.

inline constexpr uint64_t kAnySize = std::numeric_limits<uint64_t>::max();

// Contents of a file, a pipe or a file of /proc. Errors name the path and the reason: NOT_FOUND if
// it cannot be opened, FAILED_PRECONDITION if it is a directory, RESOURCE_EXHAUSTED if it has more
// than `max_bytes`, UNAVAILABLE if reading fails.
absl::StatusOr<std::string> ReadFile(const std::string& path, uint64_t max_bytes = kAnySize);

// Reuses the memory of `content`, whose value after an error is unspecified.
absl::Status ReadFileInto(const std::string& path, std::string& content,
                          uint64_t max_bytes = kAnySize);

// The first bytes of a file: fewer if it is shorter, none if it cannot be read. It must not be a
// pipe or a device, which would lose the bytes read.
std::string ReadBeginning(const std::string& path, size_t bytes);

// Reads bytes of an open file into `to`, and returns how many: fewer at the end of the file, where
// errno is 0, and where reading fails.
size_t ReadUpTo(int file, char* to, size_t bytes);

// The rest of standard input; messages call it "standard input". Nothing may have been read from it
// through a buffer (std::cin, stdin) before. Errors as above.
absl::Status ReadStandardInput(std::string& content, uint64_t max_bytes = kAnySize);

// RAII owner of a file descriptor.

class FileDescriptor {
 public:
  // Takes ownership of a descriptor; below 0: none.
  explicit FileDescriptor(int value = -1) : value_(value) {}
  ~FileDescriptor() { Close(); }
  FileDescriptor(FileDescriptor&& other) noexcept : value_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }

  int value() const { return value_; }
  bool valid() const { return value_ >= 0; }
  void Close() {
    if (valid()) close(Release());
  }
  // Releases ownership to the caller.
  int Release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

}  // namespace gprofhub::base
