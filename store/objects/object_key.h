// Checks of an object's key and size.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store {

inline constexpr size_t kLongestObjectKey = 1000;

// INVALID_ARGUMENT unless the key is valid for ObjectStore and has at most kLongestObjectKey bytes.
absl::Status CheckObjectKey(absl::string_view key);

// INVALID_ARGUMENT for more than kMostObjectBytes.
absl::Status CheckObjectSize(absl::string_view bytes);

}  // namespace gprofhub::store
