// Sources of call tokens.
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace gprofhub::ci {

// Returns the token of each call; empty: no token is sent. Called from several threads.
using TokenSource = std::function<absl::StatusOr<std::string>()>;

// A constant token.
TokenSource FixedToken(std::string token);

// ID token request of a GitHub Actions job with `permissions: id-token: write`
// (docs.github.com/actions/reference/security/oidc).
struct GitHubTokenRequest {
  std::string url;       // ACTIONS_ID_TOKEN_REQUEST_URL
  std::string token;     // ACTIONS_ID_TOKEN_REQUEST_TOKEN
  std::string audience;  // the audience that the server expects
  // The response body of a GET with this "Authorization".
  std::function<absl::StatusOr<std::string>(const std::string& url,
                                            const std::string& authorization)>
      get;
  std::function<absl::Time()> now;
};

// ID tokens of the job, cached and renewed a minute before they expire.
// `get`'s errors; INTERNAL for an answer without a token.
TokenSource GitHubIdTokens(GitHubTokenRequest request);

}  // namespace gprofhub::ci
