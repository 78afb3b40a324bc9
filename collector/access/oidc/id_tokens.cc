#include "collector/access/oidc/id_tokens.h"

#include <jwt.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/glob.h"
#include "base/printable.h"

namespace gprofhub::collector {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxTokenBytes = 16 << 10;
constexpr size_t kMaxNameBytes = 300;
constexpr int64_t kLatest = 253'402'300'800;  // the year 10000

struct JwtFree {
  void operator()(jwt_t* token) const { jwt_free(token); }
  void operator()(char* text) const { std::free(text); }
};

absl::Status Refused(absl::string_view problem) {
  return absl::UnauthenticatedError(absl::StrCat("the ID token ", problem));
}

// One part of a token, which is a JSON object in base64url.
absl::StatusOr<Json> Part(absl::string_view part) {
  std::string text;
  if (absl::WebSafeBase64Unescape(part, &text)) {
    Json object = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (object.is_object()) return object;
  }
  return Refused("is no JSON Web Token");
}

std::string TextOf(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// What a token says of itself before it is verified.
struct Unverified {
  std::string algorithm;
  std::string key_id;
  std::string issuer;
};

absl::StatusOr<Unverified> Look(absl::string_view token) {
  if (token.size() > kMaxTokenBytes) return Refused("is too long");
  const std::vector<absl::string_view> parts = absl::StrSplit(token, '.');
  if (parts.size() != 3) return Refused("is no JSON Web Token");
  const absl::StatusOr<Json> header = Part(parts[0]);
  if (!header.ok()) return header.status();
  const absl::StatusOr<Json> claims = Part(parts[1]);
  if (!claims.ok()) return claims.status();
  Unverified said = {TextOf(*header, "alg"), TextOf(*header, "kid"), TextOf(*claims, "iss")};
  if (said.algorithm != "RS256" && said.algorithm != "ES256") {
    return Refused("is not signed with RS256 or ES256");
  }
  if (said.key_id.empty()) return Refused("does not name its key");
  if (header->contains("crit")) return Refused("has extensions that must be understood");
  return said;
}

// The claims, if the signature is the key's.
absl::StatusOr<Json> Verify(const std::string& token, const SigningKey& key) {
  jwt_t* read = nullptr;
  const int result =
      jwt_decode(&read, token.c_str(), reinterpret_cast<const unsigned char*>(key.pem.data()),
                 static_cast<int>(key.pem.size()));
  const std::unique_ptr<jwt_t, JwtFree> jwt(read);
  const jwt_alg_t wanted = key.algorithm == "RS256" ? JWT_ALG_RS256 : JWT_ALG_ES256;
  // libjwt takes the algorithm from the header, which it reads by itself.
  if (result != 0 || jwt == nullptr || jwt_get_alg(jwt.get()) != wanted) {
    return Refused("has a signature that is not its issuer's");
  }
  const std::unique_ptr<char, JwtFree> text(jwt_get_grants_json(jwt.get(), nullptr));
  Json claims = Json::parse(text == nullptr ? "" : text.get(), nullptr, /*allow_exceptions=*/false);
  if (!claims.is_object()) return Refused("has no claims");
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
  return Refused("is for another audience than this server");
}

// A time of the claims; `otherwise` if it is not there.
absl::StatusOr<absl::Time> TimeOf(const Json& claims, const char* name, absl::Time otherwise) {
  const auto found = claims.find(name);
  if (found == claims.end()) return otherwise;
  if (!found->is_number() || found->get<double>() < 0 || found->get<double>() > kLatest) {
    return Refused(absl::StrCat("has a claim ", name, " that is no time"));
  }
  return absl::FromUnixSeconds(static_cast<int64_t>(found->get<double>()));
}

absl::Status CheckTimes(const Json& claims, absl::Time now) {
  const absl::StatusOr<absl::Time> end = TimeOf(claims, "exp", absl::InfinitePast());
  if (!end.ok()) return end.status();
  if (now >= *end + IdTokens::kSkew) return Refused("has expired");
  for (const char* name : {"nbf", "iat"}) {
    const absl::StatusOr<absl::Time> beginning = TimeOf(claims, name, absl::InfinitePast());
    if (!beginning.ok()) return beginning.status();
    if (*beginning > now + IdTokens::kSkew) return Refused("is of the future");
  }
  return absl::OkStatus();
}

absl::StatusOr<Caller> CallerOf(const Issuer& issuer, const Json& claims) {
  const absl::StatusOr<CiJob> job = ReadCiJob(issuer.system, claims);
  if (!job.ok()) return job.status();
  const auto entry = std::find_if(
      issuer.projects.begin(), issuer.projects.end(),
      [&job](const TrustedRepository& one) { return one.repository == job->repository; });
  if (entry == issuer.projects.end()) {
    return Refused(absl::StrCat("is of the repository ",
                                base::Shortened(base::Printable(job->repository), kMaxNameBytes),
                                ", which opens no project here"));
  }
  Caller caller;
  caller.project = entry->project;
  caller.scopes = Scopes().With(Scope::kUpload).With(Scope::kRead);
  const bool main =
      !job->trusted_branch.empty() &&
      std::any_of(entry->main.begin(), entry->main.end(), [&job](const std::string& pattern) {
        return base::GlobMatches(pattern, job->trusted_branch);
      });
  if (main) caller.scopes = caller.scopes.With(Scope::kUploadMain);
  caller.actor.name = base::Shortened(base::Printable(job->name), kMaxNameBytes);
  caller.run = job->run;
  return caller;
}

// The text of the issuer's key set, which lies where its configuration says.
absl::StatusOr<std::string> FetchKeys(const Issuer& issuer, const IdTokens::Fetch& fetch) {
  if (!issuer.keys.empty()) return fetch(issuer.keys);
  // OpenID Connect Discovery 1.0, 4.
  const absl::StatusOr<std::string> text =
      fetch(absl::StrCat(issuer.issuer, "/.well-known/openid-configuration"));
  if (!text.ok()) return text.status();
  const Json configuration = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!configuration.is_object() || TextOf(configuration, "issuer") != issuer.issuer ||
      TextOf(configuration, "jwks_uri").empty()) {
    return absl::UnavailableError("the issuer's configuration is not its own, or names no keys");
  }
  return fetch(TextOf(configuration, "jwks_uri"));
}

}  // namespace

IdTokens::IdTokens(std::vector<Issuer> issuers, Fetch fetch) {
  for (Issuer& issuer : issuers) {
    Trusted& trusted = trusted_.emplace_back();
    trusted.issuer = std::move(issuer);
    trusted.keys = std::make_unique<KeyCache>(
        [issuer = trusted.issuer, fetch] { return FetchKeys(issuer, fetch); });
  }
}

absl::StatusOr<Caller> IdTokens::Identify(absl::string_view token, absl::Time now) const {
  const absl::StatusOr<Unverified> said = Look(token);
  if (!said.ok()) return said.status();
  const auto trusted = std::find_if(trusted_.begin(), trusted_.end(), [&said](const Trusted& one) {
    return one.issuer.issuer == said->issuer;
  });
  if (trusted == trusted_.end()) return Refused("is of an issuer that is not trusted here");
  const absl::StatusOr<SigningKey> key = trusted->keys->Find(said->key_id, now);
  if (!key.ok()) return key.status();
  if (key->algorithm != said->algorithm) return Refused("is signed with another key than it names");
  const absl::StatusOr<Json> claims = Verify(std::string(token), *key);
  if (!claims.ok()) return claims.status();
  if (TextOf(*claims, "iss") != trusted->issuer.issuer) {
    return Refused("is of an issuer that is not trusted here");
  }
  absl::Status status = CheckAudience(*claims, trusted->issuer.audience);
  if (status.ok()) status = CheckTimes(*claims, now);
  if (!status.ok()) return status;
  return CallerOf(trusted->issuer, *claims);
}

}  // namespace gprofhub::collector
