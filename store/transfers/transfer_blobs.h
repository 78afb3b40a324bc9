// Files that Bazel hands over beside its build events: test logs, outputs.zip, what aspects made.
// They come by Remote Execution API v2's content-addressable storage (collector/cache/), and
// whoever reads the build events takes out of them what is worth keeping. Nobody keeps them for
// long: what was not touched for a day goes (store/upkeep/garbage.h).
//
// They are apart from the store's blobs, because they are another's. A project has its own copy of
// each: a hash that another project knows says nothing about it. Both engines keep the bytes in
// pieces, as rows. So a blob of any size is written and read in bounded memory, what has come of a
// cut upload is there for who resumes it, another process of the same database may go on with it,
// and nothing lies on a disk that no transaction knows.
//
// A project's blobs have a room of bounded size. What is under way takes its announced size from
// the beginning: so an upload that began finds room to its end, and thousands that are begun and
// left fill nothing but their own project's room, for an hour.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/transfers/transfer.h"

namespace gprofhub::store {

namespace sql {
class Database;
}  // namespace sql

// A part of the store: store/store.h says what holds for all of them. INVALID_ARGUMENT for a
// project that cannot be stored, and for a digest whose hash is not 64 lower-case hexadecimal
// digits.
class TransferBlobs {
 public:
  // How long a blob stays that nobody touches, and bytes of an upload that does not go on.
  static constexpr absl::Duration kStays = absl::Hours(24);
  static constexpr absl::Duration kUploadStays = absl::Hours(1);
  // The longest piece: what Append takes at most.
  static constexpr uint64_t kPieceBytes = kTransferPieceBytes;

  explicit TransferBlobs(std::shared_ptr<sql::Database> database);

  // Those of `digests` that the project does not have as a whole, in the same order. The others
  // stay for kStays from now on, or an hour less.
  absl::StatusOr<std::vector<TransferDigest>> FindMissing(
      absl::string_view project, const std::vector<TransferDigest>& digests, absl::Time now) const;

  // A blob at once. Does nothing if the project has it. INVALID_ARGUMENT if the bytes are not the
  // digest's; OUT_OF_RANGE if it is larger than any may be, or has no place in the project's room.
  absl::Status Put(absl::string_view project, const TransferDigest& digest, absl::string_view bytes,
                   const TransferLimits& limits, absl::Time now) const;

  // What has come of an upload.
  absl::StatusOr<TransferProgress> Progress(const TransferUpload& upload) const;
  // Adds bytes, kPieceBytes at most, which follow those that came. With offset 0 the upload begins,
  // and errors are those of Put. FAILED_PRECONDITION if `offset` is not the number of bytes that
  // came: another call writes to it, or it was given up. INVALID_ARGUMENT if they are more than the
  // digest's.
  absl::Status Append(const TransferUpload& upload, uint64_t offset, absl::string_view bytes,
                      const TransferLimits& limits, absl::Time now) const;
  // All bytes have come: the project has the blob from now on. INVALID_ARGUMENT if they do not hash
  // to the digest: then they are gone. FAILED_PRECONDITION if some have not come.
  absl::Status Commit(const TransferUpload& upload, absl::Time now) const;

  // The whole blob. NOT_FOUND if the project does not have it; OUT_OF_RANGE if it has more than
  // `most` bytes; DATA_LOSS if its bytes no longer hash to its name.
  absl::StatusOr<std::string> Read(absl::string_view project, const TransferDigest& digest,
                                   uint64_t most) const;
  // Bytes from `offset` on, at most `most` and at most a piece; empty at the end. Unchecked:
  // whoever reads a whole blob so compares its hash. NOT_FOUND.
  absl::StatusOr<std::string> ReadPart(absl::string_view project, const TransferDigest& digest,
                                       uint64_t offset, uint64_t most) const;

  // What the projects' rooms are taken by, all of them or one's.
  absl::StatusOr<HeldTransfers> Held() const;
  absl::StatusOr<HeldTransfers> HeldOf(absl::string_view project) const;

  // Removes up to `limit` of those that were not touched since the times given: blobs, and uploads
  // under way. Returns what was removed; nothing: there are no more.
  absl::StatusOr<HeldTransfers> RemoveOld(absl::Time blobs_before, absl::Time uploads_before,
                                          uint32_t limit) const;
  // What RemoveOld would remove in all.
  absl::StatusOr<HeldTransfers> CountOld(absl::Time blobs_before, absl::Time uploads_before) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
