// Blobs as files, by the hash of their bytes: DIRECTORY/blobs/ab/cdef….
//
// A file is written to DIRECTORY/blobs/incoming/, synced, and moved to its place. Then its
// directory is synced. Only then may a row name it. If a transaction fails after the move, no row
// names the file. That does no harm: the same bytes replace it when they are sent again.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "store/records/records.h"

namespace gprofhub::store::sqlite {

// An open file descriptor, closed at the end.
class FileDescriptor {
 public:
  explicit FileDescriptor(int value) : value_(value) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept : value_(other.value_) { other.value_ = -1; }
  FileDescriptor& operator=(FileDescriptor&&) = delete;

  int value() const { return value_; }
  bool valid() const { return value_ >= 0; }

 private:
  int value_;
};

// Safe to use from several threads and processes.
class BlobFolder {
 public:
  // Creates the folders. What an earlier process left in incoming/ is removed,
  // unless another process has the folder open.
  static absl::StatusOr<BlobFolder> Open(const std::string& directory);

  // Makes all blobs durable, or none. RESOURCE_EXHAUSTED if the disk is full.
  absl::Status Add(absl::Span<const Blob* const> blobs) const;
  // The bytes, unchecked. NOT_FOUND.
  absl::StatusOr<std::string> Read(const BlobName& name) const;

 private:
  BlobFolder(std::string directory, FileDescriptor lock)
      : directory_(std::move(directory)), lock_(std::move(lock)) {}

  std::string directory_;
  FileDescriptor lock_;  // shared lock on incoming/ while open
};

}  // namespace gprofhub::store::sqlite
