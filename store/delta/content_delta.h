// The content of a blob as its difference from the content of another blob.
//
// Most blobs are zstd frames. Two frames share no bytes even where their contents differ little: a
// bundle of 90 kB of the next commit's program takes 25 kB as a frame, and 70 bytes as a delta
// against the bundle before. So deltas are made of contents, not of frames.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store {

// Limit of a content: EncodeDelta and DecodeDelta hold both contents in memory.
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

// A zstd frame of `content` with `base` as its prefix, and a checksum of the content. Slightly
// longer than `content` if the two have nothing in common. Deterministic for a version of zstd.
std::string EncodeDelta(absl::string_view content, absl::string_view base);

// Returns the content. DATA_LOSS if `delta` is not a frame of EncodeDelta or was encoded against
// another base: the frame's checksum is the low 32 bits of XXH64.
absl::StatusOr<std::string> DecodeDelta(absl::string_view delta, absl::string_view base);

}  // namespace gprofhub::store
