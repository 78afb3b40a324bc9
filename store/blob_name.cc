#include "store/blob_name.h"

#include <algorithm>

#include "base/sha256.h"

namespace gprofhub::store {

BlobName NameBlob(absl::string_view bytes) { return base::Sha256Hex(bytes); }

bool IsBlobName(absl::string_view name) {
  return name.size() == base::kSha256Digits &&
         std::all_of(name.begin(), name.end(), [](char digit) {
           return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
         });
}

}  // namespace gprofhub::store
