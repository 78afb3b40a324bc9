#include "cli/serve/http/visits/login_issuer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/glob.h"
#include "base/http/allowed_url.h"
#include "base/percent_coding.h"
#include "base/sha256.h"
#include "cli/serve/http/visits/random_name.h"
#include "collector/access/oidc/verify_token.h"

namespace gprofhub::cli {
namespace {

using Json = nlohmann::json;

constexpr absl::Duration kFresh = absl::Hours(1);  // then the configuration is fetched again
// Back-off after an issuer's configuration could not be fetched: pages fail at once meanwhile.
constexpr absl::Duration kRest = absl::Seconds(10);

absl::Status NotLoggedIn(absl::string_view problem) {
  return absl::UnauthenticatedError(absl::StrCat("The log-in did not succeed: ", problem));
}

// RFC 7636, 4.2.
std::string ChallengeOf(const std::string& verifier) {
  return absl::WebSafeBase64Escape(absl::HexStringToBytes(base::Sha256Hex(verifier)));
}

// "a=b&c=d".
std::string FormOf(const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string form;
  for (const auto& [name, value] : fields) {
    absl::StrAppend(&form, form.empty() ? "" : "&", name, "=", base::PercentEncoded(value));
  }
  return form;
}

// Whether the token was made for this client alone, or at its wish (OpenID Connect Core, 3.1.3.7).
bool IsForClient(const Json& claims, const std::string& client) {
  const auto party = claims.find("azp");
  if (party != claims.end()) return party->is_string() && *party == client;
  const auto audience = claims.find("aud");
  return audience != claims.end() && (!audience->is_array() || audience->size() == 1);
}

}  // namespace

LoginIssuer::LoginIssuer(LoginIssuerOptions options, base::HttpClient http,
                         std::function<absl::Time()> now)
    : options_(std::move(options)), http_(std::move(http)), now_(std::move(now)), keys_([this] {
        return collector::FetchKeys(options_.issuer,
                                    [this](const std::string& url) { return Get(url); });
      }) {}

std::string LoginIssuer::name() const {
  absl::string_view host = options_.issuer;
  if (!absl::ConsumePrefix(&host, "https://")) absl::ConsumePrefix(&host, "http://");
  return std::string(host.substr(0, host.find('/')));
}

absl::StatusOr<std::string> LoginIssuer::Get(const std::string& url) const {
  if (absl::Status status = base::CheckHttpUrl(url); !status.ok()) return status;
  absl::StatusOr<base::HttpResponse> answer =
      http_({"GET", url, {{"Accept", "application/json"}}, ""});
  if (!answer.ok()) return answer.status();
  if (answer->status == 200) return std::move(answer->body);
  return absl::UnavailableError(absl::StrCat(url, " answers with status ", answer->status));
}

absl::StatusOr<LoginIssuer::Endpoints> LoginIssuer::FindEndpoints() {
  {
    absl::MutexLock lock(&mutex_);
    if (now_() - endpoints_.fetched < kFresh) return endpoints_;
    if (now_() < rests_until_) {
      return absl::UnavailableError(
          absl::StrCat(name(), " did not answer a moment ago: try again in a moment"));
    }
  }
  const absl::StatusOr<Endpoints> endpoints = FetchEndpoints();
  absl::MutexLock lock(&mutex_);
  if (endpoints.ok()) {
    endpoints_ = *endpoints;
  } else {
    rests_until_ = now_() + kRest;
  }
  return endpoints;
}

absl::StatusOr<LoginIssuer::Endpoints> LoginIssuer::FetchEndpoints() const {
  const absl::StatusOr<Json> configuration = collector::FetchConfiguration(
      options_.issuer, [this](const std::string& url) { return Get(url); });
  if (!configuration.ok()) return configuration.status();
  Endpoints endpoints = {collector::TextClaim(*configuration, "authorization_endpoint"),
                         collector::TextClaim(*configuration, "token_endpoint"), now_()};
  for (const std::string& url : {endpoints.authorization, endpoints.token}) {
    if (!page::Url::External(url).has_value() || !base::CheckHttpUrl(url).ok()) {
      return absl::UnavailableError(
          absl::StrCat("the configuration of ", options_.issuer, " names no pages to log in at"));
    }
  }
  return endpoints;
}

absl::StatusOr<page::Url> LoginIssuer::Begin(const std::string& session, const std::string& next) {
  const absl::StatusOr<Endpoints> endpoints = FindEndpoints();
  if (!endpoints.ok()) return endpoints.status();
  const absl::StatusOr<std::string> state = RandomName();
  const absl::StatusOr<std::string> nonce = RandomName();
  const absl::StatusOr<std::string> verifier = RandomName();
  for (const auto* name : {&state, &nonce, &verifier}) {
    if (!name->ok()) return name->status();
  }
  const absl::Time now = now_();
  {
    absl::MutexLock lock(&mutex_);
    std::erase_if(pending_, [now](const auto& one) { return one.second.expires <= now; });
    if (pending_.size() >= options_.most_pending) {
      pending_.erase(std::min_element(
          pending_.begin(), pending_.end(),
          [](const auto& a, const auto& b) { return a.second.expires < b.second.expires; }));
    }
    pending_[*state] = {session, *nonce, *verifier, next, now + options_.patience};
  }
  return page::Url::External(endpoints->authorization)
      ->With("response_type", "code")
      .With("scope", "openid email")
      .With("client_id", options_.client)
      .With("redirect_uri", options_.back)
      .With("state", *state)
      .With("nonce", *nonce)
      .With("code_challenge", ChallengeOf(*verifier))
      .With("code_challenge_method", "S256");
}

absl::StatusOr<LoginIssuer::Pending> LoginIssuer::Take(const std::string& session,
                                                       const std::string& state) {
  absl::MutexLock lock(&mutex_);
  const auto found = pending_.find(state);
  if (found == pending_.end() || found->second.session != session ||
      found->second.expires <= now_()) {
    return NotLoggedIn("it did not begin in this browser, or too long ago. Begin again.");
  }
  Pending pending = std::move(found->second);
  pending_.erase(found);
  return pending;
}

absl::StatusOr<std::string> LoginIssuer::FetchToken(const Endpoints& endpoints,
                                                    const Pending& pending,
                                                    const std::string& code) const {
  base::HttpRequest request = {"POST", endpoints.token, {}, ""};
  request.headers["Accept"] = "application/json";
  request.headers["Content-Type"] = "application/x-www-form-urlencoded";
  if (!options_.secret.empty()) {
    // RFC 6749, 2.3.1.
    request.headers["Authorization"] = absl::StrCat(
        "Basic ", absl::Base64Escape(absl::StrCat(base::PercentEncoded(options_.client), ":",
                                                  base::PercentEncoded(options_.secret))));
  }
  request.body = FormOf({{"grant_type", "authorization_code"},
                         {"code", code},
                         {"redirect_uri", options_.back},
                         {"client_id", options_.client},
                         {"code_verifier", pending.verifier}});
  const absl::StatusOr<base::HttpResponse> answer = http_(request);
  if (!answer.ok()) return answer.status();
  if (answer->status >= 500) {
    return absl::UnavailableError(absl::StrCat(name(), " answers with status ", answer->status));
  }
  const Json body = Json::parse(answer->body, nullptr, /*allow_exceptions=*/false);
  std::string token = body.is_object() ? collector::TextClaim(body, "id_token") : "";
  if (answer->status != 200 || token.empty()) {
    return NotLoggedIn(absl::StrCat(name(), " did not take the code. Begin again."));
  }
  return token;
}

absl::StatusOr<LoginIssuer::LoggedIn> LoginIssuer::End(const std::string& session,
                                                       const std::string& state,
                                                       const std::string& code) {
  absl::StatusOr<Pending> pending = Take(session, state);
  if (!pending.ok()) return pending.status();
  if (code.empty()) return NotLoggedIn(absl::StrCat(name(), " gave no code."));
  const absl::StatusOr<Endpoints> endpoints = FindEndpoints();
  if (!endpoints.ok()) return endpoints.status();
  const absl::StatusOr<std::string> token = FetchToken(*endpoints, *pending, code);
  if (!token.ok()) return token.status();
  const absl::StatusOr<collector::UnverifiedToken> said = collector::LookAtToken(*token);
  if (!said.ok()) return said.status();
  const absl::StatusOr<Json> claims =
      collector::VerifyToken(*token, *said, {options_.issuer, options_.client}, keys_, now_());
  if (!claims.ok()) return claims.status();
  if (!IsForClient(*claims, options_.client) ||
      collector::TextClaim(*claims, "nonce") != pending->nonce) {
    return NotLoggedIn("the issuer's word is for another log-in.");
  }
  std::string user = collector::TextClaim(*claims, "email");
  const auto verified = claims->find("email_verified");
  if (user.empty() || verified == claims->end() || *verified != true) {
    return NotLoggedIn(absl::StrCat(name(), " does not vouch for an address of mail."));
  }
  const bool may =
      std::any_of(options_.users.begin(), options_.users.end(),
                  [&user](const std::string& pattern) { return base::GlobMatches(pattern, user); });
  if (!may) return absl::PermissionDeniedError(absl::StrCat(user, " may not log in here."));
  return LoggedIn{std::move(user), std::move(pending->next)};
}

}  // namespace gprofhub::cli
