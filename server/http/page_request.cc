#include "server/http/page_request.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/glob.h"
#include "base/hash.h"
#include "base/http/http.h"
#include "base/http/percent_coding.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "collector/access/verify_token.h"

namespace gprofhub::server {

absl::StatusOr<std::string> RandomName() {
  ASSIGN_OR_RETURN(const std::string bytes, base::RandomBytes(kRandomNameDigits / 2));
  return absl::BytesToHexString(bytes);
}

namespace {

using Json = nlohmann::json;

constexpr absl::Duration kFresh = absl::Hours(1);  // then the configuration is fetched again
// Back-off after an issuer's configuration could not be fetched: pages fail at once meanwhile.
constexpr absl::Duration kRest = absl::Seconds(10);

// A browser keeps a cookie of at most 4 KiB.
constexpr size_t kLongestNext = 2000;

absl::Status NotLoggedIn(absl::string_view problem) {
  return absl::UnauthenticatedError(absl::StrCat("The log-in did not succeed: ", problem));
}

// RFC 7636, 4.2.
std::string ChallengeOf(const std::string& verifier) {
  return absl::WebSafeBase64Escape(absl::HexStringToBytes(base::Sha256Hex(verifier)));
}

// Of a log-in that has begun in a session; `text` is what its cookie holds.
std::string SignatureOf(const std::string& key, const std::string& session,
                        const std::string& text) {
  return base::HmacSha256Hex(key, absl::StrCat("log-in ", session, " ", text));
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
  RETURN_IF_ERROR(base::CheckHttpUrl(url));
  ASSIGN_OR_RETURN(base::HttpResponse answer,
                   http_({"GET", url, {{"Accept", "application/json"}}, ""}));
  if (answer.status == 200) return std::move(answer.body);
  return absl::UnavailableError(absl::StrCat(url, " answers with status ", answer.status));
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
  ASSIGN_OR_RETURN(const Json configuration,
                   collector::FetchConfiguration(
                       options_.issuer, [this](const std::string& url) { return Get(url); }));
  Endpoints endpoints = {collector::TextClaim(configuration, "authorization_endpoint"),
                         collector::TextClaim(configuration, "token_endpoint"),
                         collector::TextClaim(configuration, "userinfo_endpoint"), now_()};
  std::vector<std::string> urls = {endpoints.authorization, endpoints.token};
  if (!endpoints.user.empty()) urls.push_back(endpoints.user);
  for (const std::string& url : urls) {
    if (!page::Url::External(url).has_value() || !base::CheckHttpUrl(url).ok()) {
      return absl::UnavailableError(
          absl::StrCat("the configuration of ", options_.issuer, " names no pages to log in at"));
    }
  }
  return endpoints;
}

absl::StatusOr<std::string> LoginIssuer::Key() {
  absl::MutexLock lock(&mutex_);
  if (key_.empty()) {
    ASSIGN_OR_RETURN(key_, RandomName());
  }
  return key_;
}

absl::StatusOr<LoginIssuer::Begun> LoginIssuer::Begin(const std::string& session,
                                                      const std::string& next) {
  ASSIGN_OR_RETURN(const Endpoints endpoints, FindEndpoints());
  ASSIGN_OR_RETURN(const std::string key, Key());
  ASSIGN_OR_RETURN(const std::string state, RandomName());
  ASSIGN_OR_RETURN(const std::string nonce, RandomName());
  ASSIGN_OR_RETURN(const std::string verifier, RandomName());
  const Json held = {{"state", state},
                     {"nonce", nonce},
                     {"verifier", verifier},
                     {"next", next.size() <= kLongestNext ? next : ""},
                     {"expires", absl::ToUnixSeconds(now_() + options_.patience)}};
  const std::string text =
      absl::WebSafeBase64Escape(held.dump(-1, ' ', true, Json::error_handler_t::replace));
  return Begun{page::Url::External(endpoints.authorization)
                   ->With("response_type", "code")
                   .With("scope", "openid email")
                   .With("client_id", options_.client)
                   .With("redirect_uri", options_.back)
                   .With("state", state)
                   .With("nonce", nonce)
                   .With("code_challenge", ChallengeOf(verifier))
                   .With("code_challenge_method", "S256"),
               state, absl::StrCat(text, ".", SignatureOf(key, session, text))};
}

absl::StatusOr<LoginIssuer::Pending> LoginIssuer::Open(const std::string& session,
                                                       const std::string& cookie,
                                                       const std::string& state) {
  const absl::Status foreign =
      NotLoggedIn("it did not begin in this browser, or too long ago. Begin again.");
  ASSIGN_OR_RETURN(const std::string key, Key());
  const std::pair<std::string, std::string> parts = absl::StrSplit(cookie, absl::MaxSplits('.', 1));
  std::string text;
  if (!base::EqualSecrets(parts.second, SignatureOf(key, session, parts.first)) ||
      !absl::WebSafeBase64Unescape(parts.first, &text)) {
    return foreign;
  }
  const Json held = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!held.is_object() || !base::EqualSecrets(collector::TextClaim(held, "state"), state)) {
    return foreign;
  }
  Pending pending = {collector::TextClaim(held, "nonce"), collector::TextClaim(held, "verifier"),
                     collector::TextClaim(held, "next"),
                     absl::FromUnixSeconds(held.value("expires", int64_t{0}))};
  if (pending.expires <= now_()) return foreign;
  return pending;
}

bool LoginIssuer::EndState(const std::string& state, absl::Time expires) {
  const absl::Time now = now_();
  absl::MutexLock lock(&mutex_);
  std::erase_if(ended_, [now](const auto& one) { return one.second <= now; });
  if (ended_.size() >= options_.most_ended) {
    ended_.erase(std::min_element(ended_.begin(), ended_.end(), [](const auto& a, const auto& b) {
      return a.second < b.second;
    }));
  }
  return ended_.try_emplace(state, expires).second;
}

absl::StatusOr<Json> LoginIssuer::FetchTokens(const Endpoints& endpoints, const Pending& pending,
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
  ASSIGN_OR_RETURN(const base::HttpResponse answer, http_(request));
  if (answer.status >= 500) {
    return absl::UnavailableError(absl::StrCat(name(), " answers with status ", answer.status));
  }
  Json body = Json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  if (answer.status != 200 || !body.is_object() || collector::TextClaim(body, "id_token").empty()) {
    return NotLoggedIn(absl::StrCat(name(), " did not take the code. Begin again."));
  }
  return body;
}

// An issuer may return the claims of the scope "email" here only (OpenID Connect Core, 5.4).
absl::StatusOr<Json> LoginIssuer::FetchUser(const Endpoints& endpoints, const Json& tokens,
                                            const Json& claims) const {
  const std::string access = collector::TextClaim(tokens, "access_token");
  if (claims.contains("email") || endpoints.user.empty() || access.empty()) return claims;
  ASSIGN_OR_RETURN(
      const base::HttpResponse answer,
      http_({"GET",
             endpoints.user,
             {{"Accept", "application/json"}, {"Authorization", absl::StrCat("Bearer ", access)}},
             ""}));
  if (answer.status >= 500) {
    return absl::UnavailableError(absl::StrCat(name(), " answers with status ", answer.status));
  }
  Json user = Json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
  const std::string subject = collector::TextClaim(claims, "sub");
  // Section 5.3.2: without this an access token of another user could be put in place.
  if (answer.status != 200 || !user.is_object() || subject.empty() ||
      collector::TextClaim(user, "sub") != subject) {
    return NotLoggedIn(absl::StrCat(name(), " does not describe the user."));
  }
  return user;
}

absl::StatusOr<LoginIssuer::LoggedIn> LoginIssuer::End(const std::string& session,
                                                       const std::string& cookie,
                                                       const std::string& state,
                                                       const std::string& code) {
  ASSIGN_OR_RETURN(Pending pending, Open(session, cookie, state));
  if (code.empty()) return NotLoggedIn(absl::StrCat(name(), " gave no code."));
  ASSIGN_OR_RETURN(const Endpoints endpoints, FindEndpoints());
  ASSIGN_OR_RETURN(const Json tokens, FetchTokens(endpoints, pending, code));
  const std::string token = collector::TextClaim(tokens, "id_token");
  ASSIGN_OR_RETURN(const collector::UnverifiedToken said, collector::LookAtToken(token));
  ASSIGN_OR_RETURN(
      const Json claims,
      collector::VerifyToken(token, said, {options_.issuer, options_.client}, keys_, now_()));
  if (!IsForClient(claims, options_.client) ||
      collector::TextClaim(claims, "nonce") != pending.nonce) {
    return NotLoggedIn("the issuer's word is for another log-in.");
  }
  ASSIGN_OR_RETURN(const Json person, FetchUser(endpoints, tokens, claims));
  std::string user = collector::TextClaim(person, "email");
  const auto verified = person.find("email_verified");
  if (user.empty() || verified == person.end() || *verified != true) {
    return NotLoggedIn(absl::StrCat(name(), " does not vouch for an address of mail."));
  }
  const bool may =
      std::any_of(options_.users.begin(), options_.users.end(),
                  [&user](const std::string& pattern) { return base::GlobMatches(pattern, user); });
  if (!may) return absl::PermissionDeniedError(absl::StrCat(user, " may not log in here."));
  // The issuer takes a code once. This also holds for one that does not.
  if (!EndState(state, pending.expires)) return NotLoggedIn("it has ended already. Begin again.");
  return LoggedIn{std::move(user), std::move(pending.next)};
}

absl::Status CheckProject(const PageStore& store, const std::string& project) {
  store::RunFilter filter;
  filter.project = project;
  filter.limit = 1;
  ASSIGN_OR_RETURN(const std::vector<store::RunHead> runs, store.reading.ListRunHeads(filter));
  if (!runs.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const auto invocations, store.invocations.List(project, 1));
  if (!invocations.empty()) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat("project \"", project,
                   "\" has no run: check its name, or upload one with gprofhub upload --project"));
}

namespace {

const std::string& ValueIn(const std::map<std::string, std::string>& values,
                           const std::string& name) {
  static const auto* const none = new std::string;
  const auto found = values.find(name);
  return found == values.end() ? *none : found->second;
}

}  // namespace

const std::string& PageRequest::Query(const std::string& name) const {
  return ValueIn(query, name);
}
const std::string& PageRequest::Form(const std::string& name) const { return ValueIn(form, name); }

absl::StatusOr<uint32_t> PageRequest::Number(const std::string& name, uint32_t most) const {
  const std::string& text = Query(name);
  if (text.empty()) return 0;
  uint32_t number = 0;
  if (!absl::SimpleAtoi(text, &number) || number > most) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": must be a number of at most ", most));
  }
  return number;
}

bool PageRequest::Is(std::initializer_list<absl::string_view> path_pattern) const {
  if (path.size() != path_pattern.size()) return false;
  size_t i = 0;
  for (const absl::string_view segment : path_pattern) {
    if (segment != "*" && segment != path[i]) return false;
    ++i;
  }
  return true;
}

std::string WithoutPathPrefix(absl::string_view target, absl::string_view prefix) {
  absl::string_view rest = target;
  if (prefix.empty() || !absl::ConsumePrefix(&rest, prefix)) return std::string(target);
  if (rest.empty() || rest.front() == '?') return absl::StrCat("/", rest);
  return std::string(rest.front() == '/' ? rest : target);  // not that of "/gprofhubx"
}

absl::Status ParseTarget(absl::string_view target, PageRequest& request) {
  request.target = std::string(target);
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(target, absl::MaxSplits('?', 1));
  absl::string_view path = parts.first;
  if (!absl::ConsumePrefix(&path, "/")) {
    return absl::InvalidArgumentError("the address has no path");
  }
  request.path.clear();
  for (const absl::string_view segment : absl::StrSplit(path, '/')) {
    request.path.push_back(base::PercentDecoded(segment));
  }
  if (request.path.back().empty()) request.path.pop_back();  // one '/' at the end
  request.query = ParseForm(parts.second);
  const auto is_text = [](absl::string_view text) {
    return base::IsUtf8(text) && !absl::StrContains(text, '\0');
  };
  for (const std::string& segment : request.path) {
    if (!is_text(segment)) return absl::InvalidArgumentError("the path is not UTF-8");
  }
  for (const auto& [name, value] : request.query) {
    if (!is_text(name) || !is_text(value)) {
      return absl::InvalidArgumentError("the query is not UTF-8");
    }
  }
  return absl::OkStatus();
}

std::map<std::string, std::string> ParseForm(absl::string_view text) {
  std::map<std::string, std::string> values;
  for (const absl::string_view part : absl::StrSplit(text, '&', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> pair = absl::StrSplit(part, absl::MaxSplits('=', 1));
    const auto decoded = [](const std::string& coded) {
      return base::PercentDecoded(absl::StrReplaceAll(coded, {{"+", " "}}));
    };
    values[decoded(pair.first)] = decoded(pair.second);
  }
  return values;
}

std::map<std::string, std::string> ParseCookies(absl::string_view header) {
  std::map<std::string, std::string> values;
  for (absl::string_view part : absl::StrSplit(header, ';', absl::SkipWhitespace())) {
    part = absl::StripAsciiWhitespace(part);
    const std::pair<std::string, std::string> pair = absl::StrSplit(part, absl::MaxSplits('=', 1));
    values.insert(pair);
  }
  return values;
}

int CodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return 200;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kOutOfRange:
      return 400;
    case absl::StatusCode::kUnauthenticated:
      return 401;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kFailedPrecondition:
      return 409;
    case absl::StatusCode::kResourceExhausted:
      return 429;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:  // it took too long
    case absl::StatusCode::kDeadlineExceeded:
      return 503;
    default:
      return 500;
  }
}

}  // namespace gprofhub::server
