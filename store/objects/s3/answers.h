// Parsed responses of S3 servers (Amazon S3 API Reference: ListObjectsV2, Error responses).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::store {

// The code of an <Error>, such as "NoSuchKey"; empty if `body` is not one. Letters and digits only.
std::string ErrorCodeOf(absl::string_view body);

struct S3List {
  struct Object {
    std::string key;  // complete, with the location's prefix
    uint64_t size = 0;
    absl::Time changed;
  };
  std::vector<Object> objects;
  bool is_truncated = false;
};

// INVALID_ARGUMENT if the body is not a listing, or its keys do not ascend.
absl::StatusOr<S3List> ParseList(absl::string_view body);

// "bytes FIRST-LAST/TOTAL" (RFC 9110, 14.4).
struct ContentRange {
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t total = 0;
};
absl::StatusOr<ContentRange> ParseContentRange(absl::string_view text);

}  // namespace gprofhub::store
