#include "collector/access/verify_token.h"

#include <jwt.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"

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
    return absl::InvalidArgumentError("the issuer's response is not a JSON Web Key Set");
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
    return absl::InvalidArgumentError("the issuer's key set has no RSA or P-256 signing key");
  }
  return made;
}

absl::StatusOr<SigningKey> KeyCache::Known(const std::string& key_id, absl::Time now,
                                           absl::Duration max_age) const {
  const auto found = keys_.find(key_id);
  if (found != keys_.end() && now - fetched_ < max_age) return found->second;
  if (fetching_) {
    return absl::UnavailableError("the issuer's keys are being fetched; try again later");
  }
  if (!last_error_.ok() || now - fetched_ >= kMaxAge) {
    return absl::UnavailableError(
        absl::StrCat("cannot fetch the issuer's keys: ", last_error_.message()));
  }
  return absl::UnauthenticatedError(
      "the ID token is signed with a key that is not in the issuer's key set");
}

absl::StatusOr<SigningKey> KeyCache::Find(absl::string_view key_id, absl::Time now) {
  const std::string id(key_id);
  {
    absl::MutexLock lock(&mutex_);
    absl::StatusOr<SigningKey> fresh = Known(id, now, kFresh);
    if (fresh.ok()) return fresh;
    if (fetching_ || now - tried_ < kPause) return Known(id, now, kMaxAge);
    fetching_ = true;
    tried_ = now;
  }
  absl::StatusOr<std::string> text = fetch_();
  absl::StatusOr<SigningKeys> keys =
      text.ok() ? ParseSigningKeys(*text) : absl::StatusOr<SigningKeys>(text.status());
  absl::MutexLock lock(&mutex_);
  fetching_ = false;
  last_error_ = keys.status();
  if (keys.ok()) {
    keys_ = *std::move(keys);
    fetched_ = now;
  }
  return Known(id, now, kMaxAge);
}

namespace {

constexpr size_t kMaxTokenBytes = 16 << 10;
constexpr int64_t kLatest = 253'402'300'800;  // the year 10000

struct JwtFree {
  void operator()(jwt_t* token) const { jwt_free(token); }
  void operator()(char* text) const { std::free(text); }
};

// One part of a token: a JSON object in base64url.
absl::StatusOr<Json> Part(absl::string_view part) {
  std::string text;
  if (absl::WebSafeBase64Unescape(part, &text)) {
    Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (object.is_object()) return object;
  }
  return RefusedToken("is not a JSON Web Token");
}

// The claims, if `key` verifies the signature.
absl::StatusOr<Json> Verify(const std::string& token, const SigningKey& key) {
  jwt_t* read = nullptr;
  const int result =
      jwt_decode(&read, token.c_str(), reinterpret_cast<const unsigned char*>(key.pem.data()),
                 static_cast<int>(key.pem.size()));
  const std::unique_ptr<jwt_t, JwtFree> jwt(read);
  const jwt_alg_t wanted = key.algorithm == "RS256" ? JWT_ALG_RS256 : JWT_ALG_ES256;
  // libjwt parses the header again and takes the algorithm from it.
  if (result != 0 || jwt == nullptr || jwt_get_alg(jwt.get()) != wanted) {
    return RefusedToken("has an invalid signature");
  }
  const std::unique_ptr<char, JwtFree> text(jwt_get_grants_json(jwt.get(), nullptr));
  Json claims = Json::parse(text == nullptr ? "" : text.get(), nullptr, /*allow_exceptions=*/false);
  if (!claims.is_object()) return RefusedToken("has no claims");
  return claims;
}

absl::Status CheckAudience(const Json& claims, const std::string& audience) {
  const auto found = claims.find("aud");
  const auto names = [&audience](const Json& one) { return one.is_string() && one == audience; };
  if (found != claims.end()) {
    if (names(*found)) return absl::OkStatus();
    if (found->is_array() && std::any_of(found->begin(), found->end(), names)) {
      return absl::OkStatus();
    }
  }
  return RefusedToken("has another audience than this server");
}

// A time claim; `otherwise` if absent.
absl::StatusOr<absl::Time> TimeOf(const Json& claims, const char* name, absl::Time otherwise) {
  const auto found = claims.find(name);
  if (found == claims.end()) return otherwise;
  if (!found->is_number() || found->get<double>() < 0 || found->get<double>() > kLatest) {
    return RefusedToken(absl::StrCat("has a claim ", name, " that is not a valid time"));
  }
  return absl::FromUnixSeconds(static_cast<int64_t>(found->get<double>()));
}

absl::Status CheckTimes(const Json& claims, absl::Time now) {
  ASSIGN_OR_RETURN(const absl::Time end, TimeOf(claims, "exp", absl::InfinitePast()));
  if (now >= end + kTokenSkew) return RefusedToken("has expired");
  for (const char* name : {"nbf", "iat"}) {
    ASSIGN_OR_RETURN(const absl::Time beginning, TimeOf(claims, name, absl::InfinitePast()));
    if (beginning > now + kTokenSkew) return RefusedToken("is not valid yet");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RefusedToken(absl::string_view problem) {
  return absl::UnauthenticatedError(absl::StrCat("the ID token ", problem));
}

std::string TextClaim(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

absl::StatusOr<UnverifiedToken> LookAtToken(absl::string_view token) {
  if (token.size() > kMaxTokenBytes) return RefusedToken("is too long");
  const std::vector<absl::string_view> parts = absl::StrSplit(token, '.');
  if (parts.size() != 3) return RefusedToken("is not a JSON Web Token");
  ASSIGN_OR_RETURN(const Json header, Part(parts[0]));
  ASSIGN_OR_RETURN(const Json claims, Part(parts[1]));
  UnverifiedToken said = {TextClaim(header, "alg"), TextClaim(header, "kid"),
                          TextClaim(claims, "iss")};
  if (said.algorithm != "RS256" && said.algorithm != "ES256") {
    return RefusedToken("is not signed with RS256 or ES256");
  }
  if (said.key_id.empty()) return RefusedToken("has no key ID");
  if (header.contains("crit")) return RefusedToken("has unsupported critical extensions");
  return said;
}

absl::StatusOr<Json> VerifyToken(absl::string_view token, const UnverifiedToken& said,
                                 const ExpectedToken& expected, KeyCache& keys, absl::Time now) {
  ASSIGN_OR_RETURN(const SigningKey key, keys.Find(said.key_id, now));
  if (key.algorithm != said.algorithm) {
    return RefusedToken("is signed with another algorithm than that of its key");
  }
  ASSIGN_OR_RETURN(Json claims, Verify(std::string(token), key));
  if (TextClaim(claims, "iss") != expected.issuer) {
    return RefusedToken("is of an untrusted issuer");
  }
  RETURN_IF_ERROR(CheckAudience(claims, expected.audience));
  RETURN_IF_ERROR(CheckTimes(claims, now));
  return claims;
}

absl::StatusOr<Json> FetchConfiguration(const std::string& issuer, const FetchUrl& fetch) {
  ASSIGN_OR_RETURN(const std::string text,
                   fetch(absl::StrCat(issuer, "/.well-known/openid-configuration")));
  Json configuration = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!configuration.is_object() || TextClaim(configuration, "issuer") != issuer ||
      TextClaim(configuration, "jwks_uri").empty()) {
    return absl::UnavailableError(
        "the issuer's configuration is of another issuer, or has no key set");
  }
  // Plain http is for an issuer on this machine, which then names its own pages.
  for (const char* name :
       {"jwks_uri", "authorization_endpoint", "token_endpoint", "userinfo_endpoint"}) {
    const std::string url = TextClaim(configuration, name);
    if (absl::StartsWith(issuer, "https://") && !url.empty() &&
        !absl::StartsWith(url, "https://")) {
      return absl::UnavailableError(
          absl::StrCat("the issuer's configuration names a ", name, " without https"));
    }
  }
  return configuration;
}

absl::StatusOr<std::string> FetchKeys(const std::string& issuer, const FetchUrl& fetch) {
  ASSIGN_OR_RETURN(const Json configuration, FetchConfiguration(issuer, fetch));
  return fetch(TextClaim(configuration, "jwks_uri"));
}

}  // namespace gprofhub::collector
