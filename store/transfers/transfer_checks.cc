#include "store/transfers/transfer_checks.h"

#include "absl/strings/str_cat.h"
#include "store/blob_name.h"
#include "store/validation.h"

namespace gprofhub::store {
namespace {

absl::Status CheckDigest(const TransferDigest& digest) {
  if (IsBlobName(digest.sha256)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "a blob's name is a SHA-256 of 64 lower-case hexadecimal digits");
}

}  // namespace

absl::Status CheckQuestion(absl::string_view project, const std::vector<TransferDigest>& digests) {
  if (absl::Status status = CheckKey("project", project); !status.ok()) return status;
  for (const TransferDigest& digest : digests) {
    if (absl::Status status = CheckDigest(digest); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckUpload(const TransferUpload& upload) {
  if (absl::Status status = CheckQuestion(upload.project, {upload.digest}); !status.ok()) {
    return status;
  }
  return CheckKey("upload", upload.name);
}

absl::Status NotItsBytes(const TransferDigest& digest, uint64_t bytes) {
  return absl::InvalidArgumentError(absl::StrCat("the ", bytes,
                                                 " bytes received are not those of blob ",
                                                 digest.sha256, " of ", digest.size, " bytes"));
}

absl::Status TooLarge(uint64_t size, uint64_t most) {
  return absl::OutOfRangeError(
      absl::StrCat("the blob has ", size, " bytes; at most ", most, " are taken"));
}

absl::Status NoSuchBlob(const TransferDigest& digest) {
  return absl::NotFoundError(
      absl::StrCat("the project has no blob ", digest.sha256, " of ", digest.size, " bytes"));
}

absl::Status Moved(uint64_t offset, uint64_t received) {
  return absl::FailedPreconditionError(absl::StrCat("the upload goes on at byte ", received,
                                                    ", not at ", offset,
                                                    ": ask for its state and go on from there"));
}

bool IsEmptyBlob(const TransferDigest& digest) {
  return digest.size == 0 && digest.sha256 == NameBlob("");
}

}  // namespace gprofhub::store
