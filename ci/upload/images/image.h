// An image as sent in an upload: its build-id, and its symbols in two forms.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "profile/symbols.h"

namespace gprofhub::ci {

inline constexpr uint64_t kMaxBundleBytes = 256 << 20;  // the server's limit

struct Image {
  // The GNU build-id; for a file without one, the first 40 digits of the SHA-256 of its bytes,
  // which also identifies the build.
  std::string build_id;
  profile::SymbolTable symbols;  // without lines
  std::string bundle;            // the server's format
  std::string bundle_sha256;
};

// The build-id of the image in the ELF file `path`. Errors as ReadElfBuildId.
absl::StatusOr<std::string> IdentifyImage(const std::string& path);

// Reads the ELF file `path`, whose id is `build_id`. Deterministic: the same file gives the same
// bundle. Errors as ReadElfSymbols; RESOURCE_EXHAUSTED for a bundle above the server's limit.
absl::StatusOr<Image> ReadImage(const std::string& path, const std::string& build_id);

// Decodes the image of a symbol bundle. Errors as DecodeSymbolBundle.
absl::StatusOr<Image> ImageOfBundle(std::string bundle);

}  // namespace gprofhub::ci
