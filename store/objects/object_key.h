// What may be an object's key.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store {

inline constexpr size_t kLongestObjectKey = 1000;

// INVALID_ARGUMENT unless it is as ObjectStore says, and no longer than kLongestObjectKey.
absl::Status CheckObjectKey(absl::string_view key);

}  // namespace gprofhub::store
