#include "collector/testing/fake_issuer.h"

#include <gtest/gtest.h>
#include <jwt.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <cstdlib>

#include "absl/strings/escaping.h"

namespace gprofhub::collector {

namespace {

std::string Base64Url(const std::string& bytes) { return absl::WebSafeBase64Escape(bytes); }

// A number parameter of the key, big-endian.
std::string NumberOf(EVP_PKEY* key, const char* name, size_t at_least) {
  BIGNUM* number = nullptr;
  EXPECT_EQ(EVP_PKEY_get_bn_param(key, name, &number), 1) << name;
  std::string bytes(std::max(at_least, static_cast<size_t>(BN_num_bytes(number))), '\0');
  BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()),
               static_cast<int>(bytes.size()));
  BN_free(number);
  return bytes;
}

std::string TextOf(BIO* bio) {
  char* text = nullptr;
  const long length = BIO_get_mem_data(bio, &text);
  std::string copy(text, static_cast<size_t>(length));
  BIO_free(bio);
  return copy;
}

}  // namespace

FakeKey FakeKey::Rsa(int bits) {
  return FakeKey(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", static_cast<size_t>(bits)));
}

FakeKey FakeKey::Ec(const char* curve) {
  return FakeKey(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", curve));
}

nlohmann::json FakeKey::Jwk(const std::string& key_id) const {
  nlohmann::json key = {{"kid", key_id}, {"use", "sig"}};
  if (EVP_PKEY_get_base_id(key_.get()) == EVP_PKEY_RSA) {
    key["kty"] = "RSA";
    key["alg"] = "RS256";
    key["n"] = Base64Url(NumberOf(key_.get(), OSSL_PKEY_PARAM_RSA_N, 0));
    key["e"] = Base64Url(NumberOf(key_.get(), OSSL_PKEY_PARAM_RSA_E, 0));
    return key;
  }
  key["kty"] = "EC";
  key["crv"] = "P-256";
  key["x"] = Base64Url(NumberOf(key_.get(), OSSL_PKEY_PARAM_EC_PUB_X, 32));
  key["y"] = Base64Url(NumberOf(key_.get(), OSSL_PKEY_PARAM_EC_PUB_Y, 32));
  return key;
}

std::string FakeKey::PublicPem() const {
  BIO* bio = BIO_new(BIO_s_mem());
  EXPECT_EQ(PEM_write_bio_PUBKEY(bio, key_.get()), 1);
  return TextOf(bio);
}

std::string FakeKey::PrivatePem() const {
  BIO* bio = BIO_new(BIO_s_mem());
  EXPECT_EQ(PEM_write_bio_PrivateKey(bio, key_.get(), nullptr, nullptr, 0, nullptr, nullptr), 1);
  return TextOf(bio);
}

std::string KeySet(const std::vector<nlohmann::json>& keys) {
  nlohmann::json set;
  set["keys"] = keys;
  return set.dump();
}

std::string Sign(const nlohmann::json& claims, const std::string& algorithm,
                 const std::string& key_id, const std::string& key) {
  jwt_t* jwt = nullptr;
  EXPECT_EQ(jwt_new(&jwt), 0);
  EXPECT_EQ(jwt_add_grants_json(jwt, claims.dump().c_str()), 0);
  if (!key_id.empty()) {
    EXPECT_EQ(jwt_add_header(jwt, "kid", key_id.c_str()), 0);
  }
  const bool is_none = algorithm == "none";
  EXPECT_EQ(jwt_set_alg(jwt, jwt_str_alg(algorithm.c_str()),
                        is_none ? nullptr : reinterpret_cast<const unsigned char*>(key.data()),
                        is_none ? 0 : static_cast<int>(key.size())),
            0);
  char* text = jwt_encode_str(jwt);
  EXPECT_NE(text, nullptr);
  std::string token = text == nullptr ? "" : text;
  std::free(text);
  jwt_free(jwt);
  return token;
}

}  // namespace gprofhub::collector
