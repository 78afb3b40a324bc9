// Verifies an ID token: format, key, signature, issuer, audience and validity period (OpenID
// Connect Core 1.0, 3.1.3.7). Authorization is up to the callers (id_tokens.h, and the log-in of
// pages).
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace gprofhub::collector {

// The public keys of an issuer of ID tokens: a JSON Web Key Set (RFC 7517).

struct SigningKey {
  std::string algorithm;  // "RS256" or "ES256": the key's, never the token's
  std::string pem;        // SubjectPublicKeyInfo
};

using SigningKeys = std::map<std::string, SigningKey>;  // by key id

inline constexpr size_t kMaxKeySetBytes = 256 << 10;

// The set's RSA keys of 2,048 to 8,192 bits and its P-256 keys, if they are for signing and have an
// id. Other keys are skipped. INVALID_ARGUMENT if the text is not a key set, is too long, has more
// than 100 keys, or has no usable key.
absl::StatusOr<SigningKeys> ParseSigningKeys(absl::string_view json);

// Cache of an issuer's keys, fetched on demand.

// Thread-safe. At most one thread at a time waits for the issuer, and at most once a minute,
// regardless of the tokens presented; a token signed with a cached key never waits.
class KeyCache {
 public:
  static constexpr absl::Duration kPause = absl::Minutes(1);  // minimum between two fetches
  static constexpr absl::Duration kFresh = absl::Hours(1);    // then they are fetched again
  static constexpr absl::Duration kMaxAge = absl::Hours(24);  // limit if fetching fails

  // `fetch` returns the key set's text, in bounded time.
  explicit KeyCache(std::function<absl::StatusOr<std::string>()> fetch)
      : fetch_(std::move(fetch)) {}

  // UNAUTHENTICATED if the issuer has no such key; UNAVAILABLE (try again) if the issuer does not
  // respond now.
  absl::StatusOr<SigningKey> Find(absl::string_view key_id, absl::Time now);

 private:
  // The cached key, unless it is older than `max_age`.
  absl::StatusOr<SigningKey> Known(const std::string& key_id, absl::Time now,
                                   absl::Duration max_age) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::function<absl::StatusOr<std::string>()> fetch_;
  absl::Mutex mutex_;
  SigningKeys keys_ ABSL_GUARDED_BY(mutex_);
  absl::Time fetched_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::Time tried_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  bool fetching_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status last_error_ ABSL_GUARDED_BY(mutex_);
};

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
