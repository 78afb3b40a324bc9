// Blobs and images are named by the SHA-256 of their bytes.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub {

// 64 lower-case hexadecimal digits.
std::string Sha256Hex(absl::string_view bytes);

}  // namespace gprofhub
