// A fake issuer of ID tokens with generated keys, for tests.
#pragma once

#include <openssl/evp.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gprofhub::collector {

class FakeKey {
 public:
  // New keys: RSA of `bits`, or on the curve, such as "P-256".
  static FakeKey Rsa(int bits = 2048);
  static FakeKey Ec(const char* curve = "P-256");

  // As an entry of a JSON Web Key Set.
  nlohmann::json Jwk(const std::string& key_id) const;
  std::string PublicPem() const;
  std::string PrivatePem() const;

 private:
  explicit FakeKey(EVP_PKEY* key) : key_(key, EVP_PKEY_free) {}

  std::shared_ptr<EVP_PKEY> key_;
};

// A key set of these entries.
std::string KeySet(const std::vector<nlohmann::json>& keys);

// A token of these claims; algorithm as in its header, such as "RS256", "ES256", "HS256" or "none".
// For the first two `key` is a private key in PEM, for "HS256" the secret.
std::string Sign(const nlohmann::json& claims, const std::string& algorithm,
                 const std::string& key_id, const std::string& key);

}  // namespace gprofhub::collector
