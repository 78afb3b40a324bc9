// Validation of uploaded blobs, and its error messages.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "store/transfers/transfer.h"

namespace gprofhub::store {

// INVALID_ARGUMENT for what cannot be stored.
absl::Status CheckQuestion(absl::string_view project, const std::vector<TransferDigest>& digests);
absl::Status CheckUpload(const TransferUpload& upload);

// The blob that is always there.
bool IsEmptyBlob(const TransferDigest& digest);

// INVALID_ARGUMENT: all `bytes` arrived, but their hash differs.
absl::Status NotItsBytes(const TransferDigest& digest, uint64_t bytes);
// OUT_OF_RANGE.
absl::Status TooLarge(uint64_t size, uint64_t most);
// NOT_FOUND.
absl::Status NoSuchBlob(const TransferDigest& digest);
// FAILED_PRECONDITION: the upload is elsewhere. (ABORTED would have a database try again.)
absl::Status Moved(uint64_t offset, uint64_t received);

}  // namespace gprofhub::store
