// RAII owner of a file descriptor.
#pragma once

#include <unistd.h>

#include <utility>

namespace gprofhub::base {

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
