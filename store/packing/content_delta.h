// Delta encoding of a blob's content against the content of another blob.
//
// Most blobs are zstd frames. Two frames share no bytes, although their uncompressed contents may
// differ in a few bytes only: a bundle of 90 kB of the next commit's program takes 25 kB as a
// frame, and 70 bytes as a delta. So contents are compared, not frames.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store {

// Longer contents are not compared: both contents must fit in memory.
inline constexpr size_t kLargestContent = size_t{32} << 20;

struct Content {
  std::string bytes;
  bool is_of_frame = false;  // false: the blob is its own content
};

// The uncompressed content of a blob. INVALID_ARGUMENT if it begins as a zstd frame but is not
// exactly one valid frame; RESOURCE_EXHAUSTED if the content is larger than kLargestContent.
absl::StatusOr<Content> ContentOf(absl::string_view blob);

// A frame with this content, uncompressed, because its reader decodes it at once.
std::string FrameOf(absl::string_view content);

// A zstd frame that decodes to `content` given `base`, with the content's checksum. At least as
// long as `content` if the two have nothing in common. Deterministic for a version of zstd.
std::string PackContent(absl::string_view content, absl::string_view base);

// Inverse of PackContent. DATA_LOSS if `packed` is not a frame of PackContent, or was packed
// against another base: the checksum has 32 bits of a 64-bit hash (XXH64).
absl::StatusOr<std::string> UnpackContent(absl::string_view packed, absl::string_view base);

}  // namespace gprofhub::store
