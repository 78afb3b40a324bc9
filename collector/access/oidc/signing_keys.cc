#include "collector/access/oidc/signing_keys.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::collector {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxKeys = 100;
constexpr size_t kMaxKeyIdBytes = 200;
constexpr int kMinRsaBits = 2048;
constexpr int kMaxRsaBits = 8192;
constexpr size_t kP256Bytes = 32;

struct OpenSslFree {
  void operator()(BIGNUM* number) const { BN_free(number); }
  void operator()(OSSL_PARAM_BLD* builder) const { OSSL_PARAM_BLD_free(builder); }
  void operator()(OSSL_PARAM* parameters) const { OSSL_PARAM_free(parameters); }
  void operator()(EVP_PKEY_CTX* context) const { EVP_PKEY_CTX_free(context); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
template <typename T>
using Owned = std::unique_ptr<T, OpenSslFree>;

// A string member; empty if absent or of another type.
std::string TextOf(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// Decodes a base64url member (RFC 4648, 5); empty if malformed.
std::string BytesOf(const Json& object, const char* name) {
  std::string bytes;
  return absl::WebSafeBase64Unescape(TextOf(object, name), &bytes) ? bytes : "";
}

const unsigned char* Unsigned(const std::string& bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// "" if OpenSSL rejects the key.
std::string ToPem(const char* type, OSSL_PARAM_BLD* builder) {
  const Owned<OSSL_PARAM> parameters(OSSL_PARAM_BLD_to_param(builder));
  const Owned<EVP_PKEY_CTX> context(EVP_PKEY_CTX_new_from_name(nullptr, type, nullptr));
  EVP_PKEY* made = nullptr;
  if (parameters == nullptr || context == nullptr || EVP_PKEY_fromdata_init(context.get()) <= 0 ||
      EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_PUBLIC_KEY, parameters.get()) <= 0) {
    return "";
  }
  const Owned<EVP_PKEY> key(made);
  const Owned<BIO> bio(BIO_new(BIO_s_mem()));
  if (bio == nullptr || PEM_write_bio_PUBKEY(bio.get(), key.get()) != 1) return "";
  char* text = nullptr;
  const long length = BIO_get_mem_data(bio.get(), &text);
  return std::string(text, static_cast<size_t>(length));
}

std::string RsaPem(const Json& key) {
  const std::string modulus = BytesOf(key, "n");
  const std::string exponent = BytesOf(key, "e");
  if (modulus.empty() || modulus.size() > kMaxRsaBits / 8 + 1 || exponent.empty() ||
      exponent.size() > 8) {
    return "";
  }
  const Owned<BIGNUM> n(BN_bin2bn(Unsigned(modulus), static_cast<int>(modulus.size()), nullptr));
  const Owned<BIGNUM> e(BN_bin2bn(Unsigned(exponent), static_cast<int>(exponent.size()), nullptr));
  if (n == nullptr || e == nullptr || BN_num_bits(n.get()) < kMinRsaBits ||
      BN_num_bits(n.get()) > kMaxRsaBits || !BN_is_odd(e.get()) || BN_is_one(e.get())) {
    return "";
  }
  const Owned<OSSL_PARAM_BLD> builder(OSSL_PARAM_BLD_new());
  if (builder == nullptr ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1) {
    return "";
  }
  return ToPem("RSA", builder.get());
}

std::string P256Pem(const Json& key) {
  const std::string x = BytesOf(key, "x");
  const std::string y = BytesOf(key, "y");
  if (TextOf(key, "crv") != "P-256" || x.size() != kP256Bytes || y.size() != kP256Bytes) return "";
  const std::string point = absl::StrCat("\x04", x, y);  // uncompressed (SEC 1, 2.3.3)
  const Owned<OSSL_PARAM_BLD> builder(OSSL_PARAM_BLD_new());
  if (builder == nullptr ||
      OSSL_PARAM_BLD_push_utf8_string(builder.get(), OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) !=
          1 ||
      OSSL_PARAM_BLD_push_octet_string(builder.get(), OSSL_PKEY_PARAM_PUB_KEY, point.data(),
                                       point.size()) != 1) {
    return "";
  }
  return ToPem("EC", builder.get());
}

std::optional<std::pair<std::string, SigningKey>> ReadKey(const Json& key) {
  if (!key.is_object()) return std::nullopt;
  const std::string id = TextOf(key, "kid");
  const std::string use = TextOf(key, "use");
  if (id.empty() || id.size() > kMaxKeyIdBytes || (!use.empty() && use != "sig")) {
    return std::nullopt;
  }
  SigningKey made;
  const std::string type = TextOf(key, "kty");
  if (type == "RSA") made = {"RS256", RsaPem(key)};
  if (type == "EC") made = {"ES256", P256Pem(key)};
  const std::string algorithm = TextOf(key, "alg");
  if (made.pem.empty() || (!algorithm.empty() && algorithm != made.algorithm)) return std::nullopt;
  return std::pair(id, std::move(made));
}

}  // namespace

absl::StatusOr<SigningKeys> ParseSigningKeys(absl::string_view json) {
  if (json.size() > kMaxKeySetBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the issuer's key set has more than ", kMaxKeySetBytes, " bytes"));
  }
  const Json set = Json::parse(json.begin(), json.end(), nullptr, /*allow_exceptions=*/false);
  const auto keys = set.is_object() ? set.find("keys") : set.end();
  if (!set.is_object() || keys == set.end() || !keys->is_array()) {
    return absl::InvalidArgumentError("the issuer's answer is no JSON Web Key Set");
  }
  if (keys->size() > kMaxKeys) {
    return absl::InvalidArgumentError(
        absl::StrCat("the issuer's key set has more than ", kMaxKeys, " keys"));
  }
  SigningKeys made;
  for (const Json& key : *keys) {
    if (auto read = ReadKey(key); read.has_value()) made.insert(*std::move(read));
  }
  if (made.empty()) {
    return absl::InvalidArgumentError(
        "the issuer's key set has no RSA key and no key on P-256 that may sign");
  }
  return made;
}

}  // namespace gprofhub::collector
