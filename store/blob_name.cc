#include "store/blob_name.h"

#include <openssl/sha.h>

#include <algorithm>
#include <string>

#include "absl/strings/escaping.h"

namespace gprofhub {

BlobName NameBlob(absl::string_view bytes) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return absl::BytesToHexString(digest);
}

bool IsBlobName(absl::string_view name) {
  return name.size() == 2 * SHA256_DIGEST_LENGTH &&
         std::all_of(name.begin(), name.end(), [](char digit) {
           return (digit >= '0' && digit <= '9') || (digit >= 'a' && digit <= 'f');
         });
}

}  // namespace gprofhub
