// Validates every field of an upload's header before use (proto/collector.proto has the rules as
// comments). Errors are
// INVALID_ARGUMENT, or RESOURCE_EXHAUSTED for a size over the limit, and name the
// field's path (field_error.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/collector.pb.h"

namespace gprofhub::collector {

// In bytes.
struct UploadLimits {
  uint64_t profile = 64u << 20;
  uint64_t bundle = 256u << 20;  // compressed
  uint64_t stream = 512u << 20;  // blobs of one upload
  uint64_t chunk = 1u << 20;
};

// 1 to 100 of [A-Za-z0-9._/-].
absl::Status ValidateProject(absl::string_view field, absl::string_view project);

// UTF-8 without control characters, of `min` to `max` bytes.
absl::Status ValidateText(absl::string_view field, absl::string_view text, size_t min, size_t max);

absl::Status ValidateFindMissing(const v1::FindMissingBlobsRequest& request,
                                 const UploadLimits& limits);

// Validates every field and their consistency: profiles name images of the header; no process,
// image or blob occurs twice with different contents.
absl::Status ValidateHeader(const v1::UploadHeader& header, const UploadLimits& limits);

}  // namespace gprofhub::collector
