// Validates every field of an upload's header before use (proto/collector.proto has the rules as
// comments). Errors are
// INVALID_ARGUMENT, or RESOURCE_EXHAUSTED for a size over the limit, and name the
// field's path (field_error.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_budget.h"
#include "profile/raw_profile.h"
#include "proto/collector.pb.h"

namespace gprofhub::collector {

// Validates uploaded contents: a symbol bundle of the named image, a profile that a process of that
// image can have written, or stacks of its functions. The analyzer can read contents that pass.

// The image's symbols, without its lines, for CheckCountedProfile. INVALID_ARGUMENT naming `field`
// if `bytes` are not a symbol bundle, or of an architecture whose profiles cannot be read.
//
// This and the other checks reserve memory from `decoding` and release it to `decoding`. Its errors
// are converted by OverloadedIfShort.
absl::StatusOr<profile::SymbolTable> CheckBundle(absl::string_view field, absl::string_view bytes,
                                                 const base::Decoding& decoding);

// INVALID_ARGUMENT naming `field` and `file_name` if `bytes` are not a profile, or
// one of another architecture or of another image's process.
absl::Status CheckCountedProfile(absl::string_view field, absl::string_view bytes,
                                 absl::string_view file_name, const profile::SymbolTable& image,
                                 const base::Decoding& decoding);

// INVALID_ARGUMENT naming `field` and `file_name` if `bytes` are not sampled stacks, or
// not of functions of `image`.
absl::Status CheckSampledProfile(absl::string_view field, absl::string_view bytes,
                                 absl::string_view file_name, const profile::SymbolTable& image,
                                 const base::Decoding& decoding);

// Errors about one field of a request.

// Payload of such an error: a serialized BadRequest (proto/status_details.proto).
inline constexpr absl::string_view kBadRequestUrl = "type.googleapis.com/google.rpc.BadRequest";

// INVALID_ARGUMENT "<field>: <problem>" with a BadRequest payload that names
// the field. `field` is the path in the message, such as "header.run.commit".
absl::Status FieldError(absl::string_view field, absl::string_view problem);

// The same with RESOURCE_EXHAUSTED, for a size over the limit.
absl::Status FieldTooLarge(absl::string_view field, absl::string_view problem);

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
