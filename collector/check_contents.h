// Validates uploaded contents: a symbol bundle of the named image, a profile that a process of that
// image can have written, or stacks of its functions. The analyzer can read contents that pass.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/decoding/decoding.h"
#include "profile/symbols.h"

namespace gprofhub::collector {

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

}  // namespace gprofhub::collector
