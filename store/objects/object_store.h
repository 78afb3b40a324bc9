// Where segments of old blobs stand: a bucket that speaks the S3 API, or a folder. An object is
// written once, whole, and never changed. Who reads asks for a part of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::store {

// An object as a list tells of it.
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

// Safe to use from several threads and processes. A key has letters, digits, '-', '_', '.' and '/';
// it begins with a letter or digit, and no part of it is "." or "..": else INVALID_ARGUMENT.
// UNAVAILABLE: nobody answers, or whoever does is busy; it may go better later. PERMISSION_DENIED:
// the keys that the caller has are not enough. Neither says where the objects lie, or with which
// secret.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  // After OK the object is durable and whole. After an error it is there whole, or not at all.
  // ALREADY_EXISTS where another object has the key and can be seen to differ.
  virtual absl::Status Put(absl::string_view key, absl::string_view bytes) = 0;
  // `length` bytes from `offset` on. NOT_FOUND: no such object. OUT_OF_RANGE: it is shorter.
  virtual absl::StatusOr<std::string> Read(absl::string_view key, uint64_t offset,
                                           uint64_t length) = 0;
  // OK also if there is none.
  virtual absl::Status Delete(absl::string_view key) = 0;
  // The objects whose keys begin with `prefix` and are greater than `after`; at most 1,000.
  virtual absl::StatusOr<ObjectPage> List(absl::string_view prefix, absl::string_view after) = 0;
};

}  // namespace gprofhub::store
