// The name of a blob: the SHA-256 of its bytes.
#pragma once

#include "absl/strings/string_view.h"
#include "store/records/records.h"

namespace gprofhub::store {

// The name under which a store keeps these bytes.
BlobName NameBlob(absl::string_view bytes);

// Whether `name` has the form of a blob's name: 64 lower-case hexadecimal digits.
bool IsBlobName(absl::string_view name);

}  // namespace gprofhub::store
