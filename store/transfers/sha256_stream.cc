#include "store/transfers/sha256_stream.h"

#include <cstdlib>

#include "absl/strings/escaping.h"

namespace gprofhub::store {
namespace {

// As in Sha256Hex (base/sha256.cc): a wrong name would corrupt the store.
void Must(int result) {
  if (result != 1) std::abort();
}

}  // namespace

Sha256Stream::Sha256Stream() : context_(EVP_MD_CTX_new()) {
  Must(context_ == nullptr ? 0 : EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void Sha256Stream::Add(absl::string_view bytes) {
  Must(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()));
}

std::string Sha256Stream::Hex() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  Must(EVP_DigestFinal_ex(context_.get(), digest, &size));
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
}

}  // namespace gprofhub::store
