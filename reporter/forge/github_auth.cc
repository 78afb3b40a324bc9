#include "reporter/forge/github_auth.h"

#include <jwt.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/status_macros.h"
#include "reporter/forge/forge.h"

namespace gprofhub::reporter {

namespace {

constexpr absl::Duration kRenewBefore = absl::Minutes(5);

// The permissions that the reporter uses, as far as the installation has them, which is unknown
// unless `installed` is an object.
nlohmann::json Granted(const nlohmann::json& installed) {
  nlohmann::json wanted = {{"actions", "write"}, {"checks", "write"},  {"contents", "read"},
                           {"issues", "write"},  {"metadata", "read"}, {"pull_requests", "write"}};
  if (!installed.is_object()) return wanted;
  nlohmann::json granted = nlohmann::json::object();
  for (const auto& [name, level] : wanted.items()) {
    const std::string has = JsonText(installed, name.c_str());
    if (!has.empty()) granted[name] = has == "read" ? nlohmann::json("read") : level;
  }
  return granted;
}

struct JwtFree {
  void operator()(jwt_t* token) const { jwt_free(token); }
  void operator()(char* text) const { std::free(text); }
};

}  // namespace

absl::StatusOr<std::string> MakeAppJwt(absl::string_view app_id, absl::string_view private_key_pem,
                                       absl::Time now) {
  const absl::Status no_key =
      absl::InvalidArgumentError("the App's key is no RSA private key in PEM without password");
  // libcrypto would prompt for the password of such a key on the terminal.
  if (absl::StrContains(private_key_pem, "ENCRYPTED")) return no_key;
  jwt_t* made = nullptr;
  if (jwt_new(&made) != 0) return absl::InternalError("libjwt cannot make a token");
  const std::unique_ptr<jwt_t, JwtFree> token(made);
  if (jwt_add_grant(made, "iss", std::string(app_id).c_str()) != 0) {
    return absl::InvalidArgumentError("the App's id is empty or no UTF-8");
  }
  if (jwt_add_grant_int(made, "iat", absl::ToUnixSeconds(now - absl::Minutes(1))) != 0 ||
      jwt_add_grant_int(made, "exp", absl::ToUnixSeconds(now + absl::Minutes(9))) != 0) {
    return absl::InternalError("libjwt cannot make a token");
  }
  if (jwt_set_alg(made, JWT_ALG_RS256,
                  reinterpret_cast<const unsigned char*>(private_key_pem.data()),
                  static_cast<int>(private_key_pem.size())) != 0) {
    return no_key;
  }
  const std::unique_ptr<char, JwtFree> text(jwt_encode_str(made));
  if (text == nullptr) return no_key;
  return std::string(text.get());
}

struct GitHubInstallation::State {
  State(std::string base_url, base::HttpClient http, ForgeClock the_clock, GitHubApp the_app,
        std::string the_repository)
      : clock(std::move(the_clock)),
        app(std::move(the_app)),
        repository(std::move(the_repository)),
        api({std::move(base_url), std::move(http), clock, [this] { return Headers(); }, {}, ""}) {}

  absl::StatusOr<base::HttpHeaders> Headers() const {
    ASSIGN_OR_RETURN(std::string jwt, MakeAppJwt(app.app_id, app.private_key_pem, clock.now()));
    return base::HttpHeaders{{"Authorization", absl::StrCat("Bearer ", jwt)},
                             {"Accept", "application/vnd.github+json"},
                             {"X-GitHub-Api-Version", "2022-11-28"}};
  }

  // Least privilege: the reporter's permissions, for this repository only. GitHub refuses a request
  // whole if it names a permission that the installation lacks, or a repository by a name that it
  // no longer has. Then the token is for what the installation has.
  absl::StatusOr<nlohmann::json> MakeToken(const nlohmann::json& installation) const {
    nlohmann::json wanted = {{"repositories", {repository.substr(repository.find('/') + 1)}},
                             {"permissions", Granted(JsonField(installation, "permissions"))}};
    while (true) {
      absl::StatusOr<nlohmann::json> made = api.Send(
          "POST",
          absl::StrCat("/app/installations/", JsonNumber(installation, "id"), "/access_tokens"),
          wanted);
      if (!absl::IsInvalidArgument(made.status()) || wanted.empty()) return made;
      const bool names_repository =
          absl::StrContains(ReasonOf(made.status().message()), "repositor");
      wanted.erase(wanted.contains("repositories") &&
                           (names_repository || !wanted.contains("permissions"))
                       ? "repositories"
                       : "permissions");
    }
  }

  absl::Status Renew() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    ASSIGN_OR_RETURN(nlohmann::json installation,
                     api.Get(absl::StrCat("/repos/", repository, "/installation")));
    ASSIGN_OR_RETURN(nlohmann::json made, MakeToken(installation));
    absl::Time end;
    std::string error;
    if (JsonText(made, "token").empty() ||
        !absl::ParseTime(absl::RFC3339_full, JsonText(made, "expires_at"), &end, &error)) {
      return absl::InternalError("GitHub's answer has no token, or no time until which it is good");
    }
    token = JsonText(made, "token");
    token_end = end;
    return absl::OkStatus();
  }

  const ForgeClock clock;
  const GitHubApp app;
  const std::string repository;
  const RestApi api;
  absl::Mutex mutex;
  std::string token ABSL_GUARDED_BY(mutex);
  absl::Time token_end ABSL_GUARDED_BY(mutex) = absl::InfinitePast();
  std::string login ABSL_GUARDED_BY(mutex);
};

GitHubInstallation::GitHubInstallation(std::string base_url, base::HttpClient http,
                                       ForgeClock clock, GitHubApp app, std::string repository)
    : state_(std::make_unique<State>(std::move(base_url), std::move(http), std::move(clock),
                                     std::move(app), std::move(repository))) {}

GitHubInstallation::~GitHubInstallation() = default;

absl::StatusOr<std::string> GitHubInstallation::Token() {
  absl::MutexLock lock(&state_->mutex);
  if (state_->clock.now() + kRenewBefore >= state_->token_end) {
    RETURN_IF_ERROR(state_->Renew());
  }
  return state_->token;
}

absl::StatusOr<std::string> GitHubInstallation::Login() {
  absl::MutexLock lock(&state_->mutex);
  if (state_->login.empty()) {
    ASSIGN_OR_RETURN(nlohmann::json app, state_->api.Get("/app"));
    if (JsonText(app, "slug").empty()) return absl::InternalError("GitHub's App has no slug");
    state_->login = absl::StrCat(JsonText(app, "slug"), "[bot]");
  }
  return state_->login;
}

}  // namespace gprofhub::reporter
