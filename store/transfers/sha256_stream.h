// Incremental SHA-256.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::store {

class Sha256Stream {
 public:
  Sha256Stream();

  void Add(absl::string_view bytes);
  // kSha256Digits lower-case hexadecimal digits (base/sha256.h). To be called once, after the last
  // Add.
  std::string Hex();

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
};

}  // namespace gprofhub::store
