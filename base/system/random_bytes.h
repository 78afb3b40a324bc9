// Cryptographically secure random numbers from the kernel.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"

namespace gprofhub::base {

// `count` bytes, at most 256: getrandom never returns fewer of up to 256. INTERNAL if it fails.
absl::StatusOr<std::string> RandomBytes(size_t count);

}  // namespace gprofhub::base
