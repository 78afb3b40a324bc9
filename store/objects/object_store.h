// Object storage of archive segments: a bucket with the S3 API, or a folder. Objects are immutable
// and written as a whole. Readers ask for byte ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::store {

// Checks of an object's key and size.

inline constexpr size_t kLongestObjectKey = 1000;

// INVALID_ARGUMENT unless the key is valid for ObjectStore and has at most kLongestObjectKey bytes.
absl::Status CheckObjectKey(absl::string_view key);

// INVALID_ARGUMENT for more than kMostObjectBytes.
absl::Status CheckObjectSize(absl::string_view bytes);

// An entry of a listing.
struct ObjectInfo {
  std::string key;
  uint64_t size = 0;  // in bytes
  absl::Time changed;
};

// A part of a list, in the order of the keys' bytes.
struct ObjectPage {
  std::vector<ObjectInfo> objects;
  bool is_last = true;
};

// Limit of one object, which is sent in one request and held in memory while it is written. The
// largest segment has less than 16 MiB of blobs, then a symbol bundle of 256 MiB, and its index.
inline constexpr uint64_t kMostObjectBytes = uint64_t{512} << 20;

// Safe to use from several threads and processes. A key has letters, digits, '-', '_', '.' and '/';
// it begins with a letter or digit, and no part of it is "." or "..": else INVALID_ARGUMENT.
// UNAVAILABLE: the storage is unreachable or busy; a retry may succeed. PERMISSION_DENIED: the
// caller's credentials are not sufficient. Messages contain neither the objects' location nor a
// secret.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  // After OK the object is durable and complete. After an error it exists completely, or not at
  // all. ALREADY_EXISTS if another object has the key and verifiably differs. INVALID_ARGUMENT for
  // more than kMostObjectBytes.
  virtual absl::Status Put(absl::string_view key, absl::string_view bytes) = 0;
  // `length` bytes from `offset` on. NOT_FOUND: no such object. OUT_OF_RANGE: it is shorter.
  virtual absl::StatusOr<std::string> Read(absl::string_view key, uint64_t offset,
                                           uint64_t length) = 0;
  // OK also if the object does not exist.
  virtual absl::Status Delete(absl::string_view key) = 0;
  // The objects whose keys begin with `prefix` and are greater than `after`; at most 1,000.
  virtual absl::StatusOr<ObjectPage> List(absl::string_view prefix, absl::string_view after) = 0;
};

}  // namespace gprofhub::store
