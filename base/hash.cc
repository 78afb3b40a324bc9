#include "base/hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

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

std::string Sha256Hex(absl::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  // Fails only if memory is exhausted or the library lacks SHA-256. Aborts, because a wrong name
  // would corrupt the store.
  if (EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr) != 1) {
    std::abort();
  }
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
}

bool IsLowerHex(absl::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == absl::string_view::npos;
}

bool IsSha256Hex(absl::string_view text) {
  return text.size() == kSha256Digits && IsLowerHex(text);
}

bool IsCommitHash(absl::string_view text) {
  constexpr size_t kSha1Digits = 40;
  return IsSha256Hex(text) || (text.size() == kSha1Digits && IsLowerHex(text));
}

absl::StatusOr<std::string> RandomBytes(size_t count) {
  std::string bytes(count, '\0');
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return absl::InternalError(
        absl::StrCat("cannot get random bytes from the kernel: ", std::strerror(errno)));
  }
  return bytes;
}

}  // namespace gprofhub::base
