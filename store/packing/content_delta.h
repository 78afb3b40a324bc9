// What a blob says, written as what is different from another one's.
//
// Most blobs are zstd frames. Two frames have nothing in common to look at, though what they were
// made of may differ in a few bytes: a bundle of 90 kB of the next commit's program takes 25 kB as
// a frame, and 70 bytes where the content before it is known. So contents are compared, not frames.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store {

// Longer ones are not compared: contents stand in memory side by side.
inline constexpr size_t kLargestContent = size_t{32} << 20;

struct Content {
  std::string bytes;
  bool is_of_frame = false;  // else the blob is its own content
};

// What a blob's bytes say. INVALID_ARGUMENT if they begin as a frame and are none, or more than
// one; RESOURCE_EXHAUSTED if the content is larger than kLargestContent.
absl::StatusOr<Content> ContentOf(absl::string_view blob);

// A frame with this content, which is not compressed: it is made for who reads it at once.
std::string FrameOf(absl::string_view content);

// A zstd frame that gives `content` where `base` is known, with the content's checksum. As long as
// `content` is, and more, if the two have nothing in common. Deterministic for a version of zstd.
std::string PackContent(absl::string_view content, absl::string_view base);

// The other way. DATA_LOSS if `packed` is not a frame of PackContent, or was packed against another
// base: the checksum has 32 bits of a hash of 64 (XXH64).
absl::StatusOr<std::string> UnpackContent(absl::string_view packed, absl::string_view base);

}  // namespace gprofhub::store
