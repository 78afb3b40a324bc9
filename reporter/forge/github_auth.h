// Authentication at GitHub.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/http/http.h"
#include "reporter/forge/rest.h"

namespace gprofhub::reporter {

// Returns a token for the repository.
using TokenSource = std::function<absl::StatusOr<std::string>()>;

// A JSON Web Token (RFC 7519), signed with RS256 (RFC 7518, 3.3), which authenticates as the App
// `app_id`. It is valid from a minute before `now`, for clock skew, to nine minutes after it;
// GitHub allows ten. INVALID_ARGUMENT if the key is not an RSA key in PEM.
absl::StatusOr<std::string> MakeAppJwt(absl::string_view app_id, absl::string_view private_key_pem,
                                       absl::Time now);

struct GitHubApp {
  std::string app_id;
  std::string private_key_pem;
};

// An App's installation on one repository. Its tokens last an hour. A token is cached until five
// minutes before its expiry, so a permission that is granted takes effect within an hour. A token
// has the permissions that the reporter uses, as far as the installation has them. Thread-safe.
class GitHubInstallation {
 public:
  // `repository` is "owner/name".
  GitHubInstallation(std::string base_url, base::HttpClient http, ForgeClock clock, GitHubApp app,
                     std::string repository);
  ~GitHubInstallation();

  absl::StatusOr<std::string> Token();
  // The account under which the App comments: "name[bot]".
  absl::StatusOr<std::string> Login();

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace gprofhub::reporter
