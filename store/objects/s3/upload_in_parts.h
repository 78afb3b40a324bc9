// Objects that are too long for one request.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "store/objects/s3/connection.h"

namespace gprofhub::store {

// The SHA-256 of `bytes`, as S3's headers have it: in base64.
std::string S3Checksum(absl::string_view bytes);

// OK unless the server says that it received something else than `bytes`: DATA_LOSS.
absl::Status CheckReceived(const base::HttpResponse& answer, absl::string_view bytes);

// Sends `bytes` in parts, then makes an object `key` of them, with the location's prefix. After an
// error the parts are removed, if the server still answers; a rule of the bucket should remove what
// is left (docs/team.md). ALREADY_EXISTS: an object has the key. ABORTED: it is not known whether
// the object was made.
absl::Status UploadInParts(S3Connection& connection, const std::string& key,
                           absl::string_view bytes, uint64_t part_bytes);

}  // namespace gprofhub::store
