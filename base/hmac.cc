#include "base/hmac.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <cstdlib>

#include "absl/strings/escaping.h"

namespace gprofhub::base {

std::string HmacSha256(absl::string_view secret, absl::string_view message) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  // Fails only if memory is exhausted or the library lacks SHA-256.
  if (HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
           reinterpret_cast<const unsigned char*>(message.data()), message.size(), digest,
           &size) == nullptr) {
    std::abort();
  }
  return std::string(reinterpret_cast<const char*>(digest), size);
}

std::string HmacSha256Hex(absl::string_view secret, absl::string_view message) {
  return absl::BytesToHexString(HmacSha256(secret, message));
}

bool EqualSecrets(absl::string_view a, absl::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace gprofhub::base
