// SHA-256, which names blobs and images by their content.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::base {

inline constexpr size_t kSha256Digits = 64;

// kSha256Digits lower-case hexadecimal digits.
std::string Sha256Hex(absl::string_view bytes);

}  // namespace gprofhub::base
