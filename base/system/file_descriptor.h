// A file descriptor that is closed at the end.
#pragma once

#include <unistd.h>

#include <utility>

namespace gprofhub::base {

class FileDescriptor {
 public:
  // One that open() and its like gave; below 0: none.
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
  // From now on it is the caller's to close.
  int Release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

}  // namespace gprofhub::base
