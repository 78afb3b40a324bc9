// An image as an upload names it: its build-id, and its symbols in two forms.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "profile/symbols.h"

namespace gprofhub::ci {

inline constexpr uint64_t kMaxBundleBytes = 256 << 20;  // what the server takes

struct Image {
  // The GNU build-id; of a file without one the first 40 digits of the SHA-256 of its bytes, which
  // also identifies the build.
  std::string build_id;
  profile::SymbolTable symbols;  // without lines
  std::string bundle;            // as the server wants it
  std::string bundle_sha256;
};

// The id that an image made of the ELF file `path` has. Errors as ReadElfBuildId.
absl::StatusOr<std::string> IdentifyImage(const std::string& path);

// Reads the ELF file `path`, whose id is `build_id`. The same file gives the same bundle. Errors as
// ReadElfSymbols; RESOURCE_EXHAUSTED for a bundle that no server takes.
absl::StatusOr<Image> ReadImage(const std::string& path, const std::string& build_id);

// The image whose bundle these bytes are. Errors as DecodeSymbolBundle.
absl::StatusOr<Image> ImageOfBundle(std::string bundle);

}  // namespace gprofhub::ci
