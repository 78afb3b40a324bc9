// ID tokens of CI systems in place of stored secrets: OpenID Connect Core 1.0, 3.1.3.7, on JSON
// Web Tokens (RFC 7519) signed with RS256 or ES256 (RFC 7518).
//
// Checks, in this order:
//
//   1. the token is short, and its header names RS256 or ES256 and a key's id
//   2. its issuer is one of the file's, and has that key; the key is of that algorithm
//   3. the signature
//   4. issuer again, audience, end and beginning, from the claims as they were signed
//   5. the repository is one of the issuer's in the file
//
// So "alg": "none" and a MAC made with the public key are refused in step 1. The only unsigned
// value that is used is the name of the issuer whose keys are tried.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "collector/access/caller.h"
#include "collector/access/oidc/issuers.h"
#include "collector/access/oidc/key_cache.h"
#include "collector/access/oidc/verify_token.h"

namespace gprofhub::collector {

// Safe to call from several threads.
class IdTokens {
 public:
  IdTokens(std::vector<Issuer> issuers, const FetchUrl& fetch);

  // Verifies the token and returns its principal, with the scopes of its repository's entry: upload
  // and read, and, for a job of a main branch, upload-main. UNAUTHENTICATED names what is wrong
  // with the token; UNAVAILABLE if the issuer's keys cannot be fetched now.
  absl::StatusOr<Caller> Identify(absl::string_view token, absl::Time now) const;

 private:
  struct Trusted {
    Issuer issuer;
    std::unique_ptr<KeyCache> keys;
  };

  std::vector<Trusted> trusted_;
};

}  // namespace gprofhub::collector
