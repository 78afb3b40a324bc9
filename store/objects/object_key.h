// Syntax of object keys.
#pragma once

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store {

inline constexpr size_t kLongestObjectKey = 1000;

// INVALID_ARGUMENT unless the key is valid for ObjectStore and has at most kLongestObjectKey bytes.
absl::Status CheckObjectKey(absl::string_view key);

}  // namespace gprofhub::store
