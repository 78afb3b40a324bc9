// Files that Bazel uploads in addition to its build events: test logs, outputs.zip, output of
// aspects. They arrive by Remote Execution API v2's content-addressable storage (collector/cache/),
// and the reader of the build events stores the parts worth keeping. Retention is short: a file
// that was not touched for a day is removed (store/garbage.h).
//
// They are separate from the store's blobs, because they belong to Bazel. A project has its own
// copy of each: a hash that another project knows reveals nothing about it. Both engines store the
// bytes in pieces, as rows. So a blob of any size is written and read in bounded memory, an
// interrupted upload can be resumed, also through another process of the same database, and all
// bytes are covered by transactions.
//
// A project's blobs have a quota. An upload in progress takes its announced size from the
// beginning: so an upload that began has space to its end, and thousands of abandoned uploads fill
// only the quota of their own project, for an hour.
#pragma once

#include <openssl/evp.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/transfer_rows.h"

namespace gprofhub::store {

// Incremental SHA-256.

class Sha256Stream {
 public:
  Sha256Stream();

  void Add(absl::string_view bytes);
  // kSha256Digits lower-case hexadecimal digits (base/hash.h). To be called once, after the last
  // Add.
  std::string Hex();

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

namespace sql {
class Database;
}  // namespace sql

// A part of the store: store/open_store.h documents what all parts guarantee. INVALID_ARGUMENT for
// a project that cannot be stored, and for a digest whose hash is not 64 lower-case hexadecimal
// digits.
class TransferBlobs {
 public:
  // Time to live of a blob without a touch, and of an upload without progress.
  static constexpr absl::Duration kStays = absl::Hours(24);
  static constexpr absl::Duration kUploadStays = absl::Hours(1);
  // Maximum size of a piece, and of Append's argument.
  static constexpr uint64_t kPieceBytes = kTransferPieceBytes;

  explicit TransferBlobs(std::shared_ptr<sql::Database> database);

  // Those of `digests` that the project does not have completely, in the same order. The rest stay
  // for kStays from now on, or an hour less.
  absl::StatusOr<std::vector<TransferDigest>> FindMissing(
      absl::string_view project, const std::vector<TransferDigest>& digests, absl::Time now) const;

  // Adds a blob in one call. Does nothing if the project has it. INVALID_ARGUMENT if the bytes do
  // not match the digest; OUT_OF_RANGE if it is above the maximum size, or exceeds the project's
  // quota.
  absl::Status Put(absl::string_view project, const TransferDigest& digest, absl::string_view bytes,
                   const TransferLimits& limits, absl::Time now) const;

  // Progress of an upload.
  absl::StatusOr<TransferProgress> Progress(const TransferUpload& upload) const;
  // Appends at most kPieceBytes bytes. With offset 0 the upload begins, and errors are those of
  // Put. FAILED_PRECONDITION if `offset` is not the number of received bytes: another call writes
  // to it, or it was abandoned. INVALID_ARGUMENT if they exceed the digest's size.
  absl::Status Append(const TransferUpload& upload, uint64_t offset, absl::string_view bytes,
                      const TransferLimits& limits, absl::Time now) const;
  // Completes the upload: the project has the blob from now on. INVALID_ARGUMENT if the bytes do
  // not hash to the digest: then they are deleted. FAILED_PRECONDITION if some are missing.
  absl::Status Commit(const TransferUpload& upload, absl::Time now) const;

  // The whole blob. NOT_FOUND if the project does not have it; OUT_OF_RANGE if it has more than
  // `most` bytes; DATA_LOSS if its bytes no longer hash to its name.
  absl::StatusOr<std::string> Read(absl::string_view project, const TransferDigest& digest,
                                   uint64_t most) const;
  // Bytes from `offset` on, at most `most` and at most a piece; empty at the end. Unchecked: a
  // reader of the whole blob compares its hash. NOT_FOUND.
  absl::StatusOr<std::string> ReadPart(absl::string_view project, const TransferDigest& digest,
                                       uint64_t offset, uint64_t most) const;

  // Use of the projects' quotas, of all or of one.
  absl::StatusOr<HeldTransfers> Held() const;
  absl::StatusOr<HeldTransfers> HeldOf(absl::string_view project) const;

  // Removes up to `limit` blobs and uploads in progress that were not touched since the given
  // times. Returns what was removed; empty: done.
  absl::StatusOr<HeldTransfers> RemoveOld(absl::Time blobs_before, absl::Time uploads_before,
                                          uint32_t limit) const;
  // The total that RemoveOld would remove.
  absl::StatusOr<HeldTransfers> CountOld(absl::Time blobs_before, absl::Time uploads_before) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
