// Unguessable names.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace gprofhub::cli {

inline constexpr size_t kRandomNameDigits = 64;

// 256 random bits as lower-case hexadecimal digits. INTERNAL: the kernel's random generator failed.
absl::StatusOr<std::string> RandomName();

}  // namespace gprofhub::cli
