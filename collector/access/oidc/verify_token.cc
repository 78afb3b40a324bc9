#include "collector/access/oidc/verify_token.h"

#include <jwt.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gprofhub::collector {
namespace {

using Json = nlohmann::json;

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
  return RefusedToken("is no JSON Web Token");
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
    return RefusedToken("has a signature that is not its issuer's");
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
  return RefusedToken("is for another audience than this server");
}

// A time claim; `otherwise` if absent.
absl::StatusOr<absl::Time> TimeOf(const Json& claims, const char* name, absl::Time otherwise) {
  const auto found = claims.find(name);
  if (found == claims.end()) return otherwise;
  if (!found->is_number() || found->get<double>() < 0 || found->get<double>() > kLatest) {
    return RefusedToken(absl::StrCat("has a claim ", name, " that is no time"));
  }
  return absl::FromUnixSeconds(static_cast<int64_t>(found->get<double>()));
}

absl::Status CheckTimes(const Json& claims, absl::Time now) {
  const absl::StatusOr<absl::Time> end = TimeOf(claims, "exp", absl::InfinitePast());
  if (!end.ok()) return end.status();
  if (now >= *end + kTokenSkew) return RefusedToken("has expired");
  for (const char* name : {"nbf", "iat"}) {
    const absl::StatusOr<absl::Time> beginning = TimeOf(claims, name, absl::InfinitePast());
    if (!beginning.ok()) return beginning.status();
    if (*beginning > now + kTokenSkew) return RefusedToken("is of the future");
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
  if (parts.size() != 3) return RefusedToken("is no JSON Web Token");
  const absl::StatusOr<Json> header = Part(parts[0]);
  if (!header.ok()) return header.status();
  const absl::StatusOr<Json> claims = Part(parts[1]);
  if (!claims.ok()) return claims.status();
  UnverifiedToken said = {TextClaim(*header, "alg"), TextClaim(*header, "kid"),
                          TextClaim(*claims, "iss")};
  if (said.algorithm != "RS256" && said.algorithm != "ES256") {
    return RefusedToken("is not signed with RS256 or ES256");
  }
  if (said.key_id.empty()) return RefusedToken("does not name its key");
  if (header->contains("crit")) return RefusedToken("has extensions that must be understood");
  return said;
}

absl::StatusOr<Json> VerifyToken(absl::string_view token, const UnverifiedToken& said,
                                 const ExpectedToken& expected, KeyCache& keys, absl::Time now) {
  const absl::StatusOr<SigningKey> key = keys.Find(said.key_id, now);
  if (!key.ok()) return key.status();
  if (key->algorithm != said.algorithm) {
    return RefusedToken("is signed with another key than it names");
  }
  absl::StatusOr<Json> claims = Verify(std::string(token), *key);
  if (!claims.ok()) return claims;
  if (TextClaim(*claims, "iss") != expected.issuer) {
    return RefusedToken("is of an issuer that is not trusted here");
  }
  absl::Status status = CheckAudience(*claims, expected.audience);
  if (status.ok()) status = CheckTimes(*claims, now);
  if (!status.ok()) return status;
  return claims;
}

absl::StatusOr<Json> FetchConfiguration(const std::string& issuer, const FetchUrl& fetch) {
  const absl::StatusOr<std::string> text =
      fetch(absl::StrCat(issuer, "/.well-known/openid-configuration"));
  if (!text.ok()) return text.status();
  Json configuration = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!configuration.is_object() || TextClaim(configuration, "issuer") != issuer ||
      TextClaim(configuration, "jwks_uri").empty()) {
    return absl::UnavailableError("the issuer's configuration is not its own, or names no keys");
  }
  return configuration;
}

absl::StatusOr<std::string> FetchKeys(const std::string& issuer, const FetchUrl& fetch) {
  const absl::StatusOr<Json> configuration = FetchConfiguration(issuer, fetch);
  if (!configuration.ok()) return configuration.status();
  return fetch(TextClaim(*configuration, "jwks_uri"));
}

}  // namespace gprofhub::collector
