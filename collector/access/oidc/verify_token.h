// Verifies an ID token: format, key, signature, issuer, audience and validity period (OpenID
// Connect Core 1.0, 3.1.3.7). Authorization is up to the callers (id_tokens.h, and the log-in of
// pages).
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "collector/access/oidc/key_cache.h"

namespace gprofhub::collector {

// Maximum clock skew between an issuer and this server.
inline constexpr absl::Duration kTokenSkew = absl::Minutes(1);

// The response body of a GET. Time and body are bounded.
using FetchUrl = std::function<absl::StatusOr<std::string>(const std::string& url)>;

// Claims of a token before verification.
struct UnverifiedToken {
  std::string algorithm;
  std::string key_id;
  std::string issuer;
};

// UNAUTHENTICATED: it is too long, malformed, or not signed with RS256 or ES256 and a named key.
absl::StatusOr<UnverifiedToken> LookAtToken(absl::string_view token);

struct ExpectedToken {
  std::string issuer, audience;
};

// The verified claims. `said` is the result of LookAtToken. UNAUTHENTICATED names the problem with
// the token; UNAVAILABLE if the issuer's keys cannot be fetched now.
absl::StatusOr<nlohmann::json> VerifyToken(absl::string_view token, const UnverifiedToken& said,
                                           const ExpectedToken& expected, KeyCache& keys,
                                           absl::Time now);

// UNAUTHENTICATED: "the ID token " and the problem.
absl::Status RefusedToken(absl::string_view problem);

// A string claim; empty if absent or of another type.
std::string TextClaim(const nlohmann::json& claims, const char* name);

// The issuer's configuration (OpenID Connect Discovery 1.0, 4), and the text of the key set that it
// names. UNAVAILABLE: it is another issuer's, or names no keys.
absl::StatusOr<nlohmann::json> FetchConfiguration(const std::string& issuer, const FetchUrl& fetch);
absl::StatusOr<std::string> FetchKeys(const std::string& issuer, const FetchUrl& fetch);

}  // namespace gprofhub::collector
