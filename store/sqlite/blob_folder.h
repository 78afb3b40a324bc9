// Blobs as files, by the hash of their bytes: DIRECTORY/blobs/ab/cdef….
//
// A file is written to DIRECTORY/blobs/incoming/, synced, and moved to its place. Then its
// directory is synced. Only then may a row name it. If a transaction fails after the move, no row
// names the file: the uploading process removes it, or, if that process was killed, garbage
// collection does (store/upkeep/garbage.h). Both hold the database's write lock while they look for
// a row and remove the file, and a transaction that adds a row holds it while it checks that the
// file exists. So no row loses its file.
//
// A sync waits for the disk. An upload of many blobs waits twice: its files are synced together, by
// a sync of the whole file system, and so are the moves. An upload of a few blobs syncs only its
// own files, because a sync of the file system would wait for the bytes of other uploads.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/system/file_descriptor.h"
#include "store/records/records.h"
#include "store/sql/blob_bytes.h"

namespace gprofhub::store::sqlite {

// Thread-safe, also across processes.
class BlobFolder {
 public:
  // Creates the directories. Removes leftovers of earlier processes from incoming/, unless another
  // process has the directory open.
  static absl::StatusOr<BlobFolder> Open(const std::string& directory);

  // Makes all blobs durable, or none. RESOURCE_EXHAUSTED if the disk is full.
  absl::Status Add(absl::Span<const Blob* const> blobs) const;
  // Returns the bytes, unchecked. NOT_FOUND.
  absl::StatusOr<std::string> Read(const BlobName& name) const;

  // Part 0 is incoming/, and unknown files in blobs/. Part 1 + n has the files of blobs whose names
  // begin with the byte n.
  static constexpr int kParts = 257;
  absl::StatusOr<std::vector<sql::LooseBytes>> List(int part) const;
  // Removes the file of the blob, unless it does not exist or was changed since.
  absl::StatusOr<sql::RemovedBytes> Remove(const BlobName& name, absl::Time changed_before) const;
  absl::StatusOr<sql::RemovedBytes> RemoveIncoming(absl::Time changed_before) const;

 private:
  // One per directory of blobs: whether this process has made it durable.
  using KnownHomes = std::array<std::atomic<bool>, 256>;

  BlobFolder(std::string directory, base::FileDescriptor lock)
      : directory_(std::move(directory)),
        known_homes_(std::make_unique<KnownHomes>()),
        lock_(std::move(lock)) {}

  // Durably only if `sync`.
  absl::Status MakeHome(const std::string& home, bool sync) const;

  std::string directory_;
  std::unique_ptr<KnownHomes> known_homes_;
  base::FileDescriptor lock_;  // shared lock on incoming/ while open
};

// As BlobFolder::Add for one blob, unless its file exists.
absl::Status EnsureBlobFile(const std::string& directory, const Blob& blob);

// For a copy that is not used before it is complete: the first writes the file of a blob without a
// sync, the second syncs the file system of the directory.
absl::Status WriteBlobFile(const std::string& directory, const Blob& blob);
absl::Status SyncFileSystem(const std::string& directory);

}  // namespace gprofhub::store::sqlite
