#include "server/http/visits.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/hash.h"
#include "base/network/network.h"
#include "base/status_macros.h"
#include "server/http/page_request.h"

namespace gprofhub::server {

namespace {

// Browsers accept a cookie with this prefix only from this host, through TLS, for all paths.
constexpr absl::string_view kHostPrefix = "__Host-";
constexpr size_t kPrefixDigits = 8;
constexpr int kLoginsAtOnce = 4;

std::string CookieNameOf(const VisitOptions& options) {
  std::string name = "gprofhub_session";
  if (!options.secure_cookies) return name;
  // Two servers below one host have cookies of the same path.
  if (!options.path_prefix.empty()) {
    absl::StrAppend(&name, "_", base::Sha256Hex(options.path_prefix).substr(0, kPrefixDigits));
  }
  return absl::StrCat(kHostPrefix, name);
}

bool IsSessionName(absl::string_view name) {
  return name.size() == kRandomNameDigits && std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// Whom a proxy or an issuer vouches for.
collector::Caller VouchedCaller(const std::string& user, const std::string& peer) {
  collector::Caller caller;
  caller.scopes =
      collector::Scopes().With(collector::Scope::kRead).With(collector::Scope::kAcknowledge);
  caller.actor = {user, peer, 0};
  return caller;
}

bool IsNumericAddress(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> address;
  return inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
         inet_pton(AF_INET6, host.c_str(), address.data()) == 1;
}

}  // namespace

std::string Visitor::name() const {
  if (!caller.has_value()) return "";
  if (caller->anonymous) return "";
  return caller->actor.name;
}

Visits::Visits(collector::Access access, VisitOptions options, std::function<absl::Time()> now,
               std::string secret)
    : access_(std::move(access)),
      options_(std::move(options)),
      cookie_(CookieNameOf(options_)),
      now_(std::move(now)),
      secret_(std::move(secret)) {}

absl::StatusOr<std::unique_ptr<Visits>> Visits::Make(collector::Access access, VisitOptions options,
                                                     std::function<absl::Time()> now) {
  ASSIGN_OR_RETURN(std::string secret, RandomName());
  return std::unique_ptr<Visits>(
      new Visits(std::move(access), std::move(options), std::move(now), std::move(secret)));
}

absl::StatusOr<collector::Caller> Visits::LookUp(const PageRequest& request,
                                                 const std::string& authorization) const {
  collector::CallOrigin origin;
  origin.authorization = authorization;
  origin.peer = request.peer;
  origin.method = "page";
  return access_.authenticate(origin);
}

absl::StatusOr<collector::Caller> Visits::Authenticate(const PageRequest& request,
                                                       const std::string& authorization) const {
  const bool is_known = request.caller.has_value() && authorization == request.authorization;
  ASSIGN_OR_RETURN(collector::Caller caller,
                   is_known ? *request.caller : LookUp(request, authorization));
  if (access_.take_call != nullptr && !caller.project.empty()) {
    RETURN_IF_ERROR(access_.take_call(caller.project));
  }
  return caller;
}

std::optional<Visits::Session> Visits::FindSession(const std::string& name) {
  absl::MutexLock lock(&mutex_);
  const auto found = sessions_.find(name);
  if (found == sessions_.end()) return std::nullopt;
  if (found->second.expires <= now_()) {
    sessions_.erase(found);
    return std::nullopt;
  }
  return found->second;
}

// Without required tokens, every client that reaches the port may read. A page of another site can
// resolve its own name to this machine, and then read through the visitor's browser (DNS
// rebinding). It cannot do so with an address or "localhost".
absl::Status Visits::CheckHost(const PageRequest& request) const {
  if (IsNumericAddress(request.host) || request.host == "localhost" ||
      (!options_.own_host.empty() && request.host == options_.own_host)) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(
      "this server does not go by this name. Use its number, or name it with `gprofhub serve "
      "--http-url`");
}

absl::StatusOr<Visitor> Visits::Identify(const PageRequest& request) {
  Visitor visitor;
  const auto cookie = request.cookies.find(cookie_);
  if (cookie != request.cookies.end() && IsSessionName(cookie->second)) {
    visitor.session = cookie->second;
  } else {
    ASSIGN_OR_RETURN(std::string session, RandomName());
    visitor.session = std::move(session);
    visitor.is_new_session = true;
  }
  if (!request.proxy_user.empty() && options_.proxies.contains(request.peer)) {
    visitor.caller = VouchedCaller(request.proxy_user, request.peer);
    visitor.is_vouched = true;
    return visitor;
  }
  if (!request.authorization.empty()) {
    ASSIGN_OR_RETURN(collector::Caller caller, Authenticate(request, request.authorization));
    if (caller.anonymous) {
      RETURN_IF_ERROR(CheckHost(request));
    }
    visitor.caller = std::move(caller);
    return visitor;
  }
  const std::optional<Session> session = FindSession(visitor.session);
  if (session.has_value() && !session->user.empty()) {
    visitor.caller = VouchedCaller(session->user, request.peer);
    visitor.is_vouched = visitor.is_logged_in = true;
    return visitor;
  }
  if (session.has_value()) {
    absl::StatusOr<collector::Caller> caller = Authenticate(request, session->authorization);
    if (caller.ok()) {
      visitor.caller = *std::move(caller);
      visitor.is_logged_in = true;
      return visitor;
    }
    if (!absl::IsUnauthenticated(caller.status())) return caller.status();
    LogOut(visitor);
  }
  if (tokens_needed_) return visitor;
  absl::StatusOr<collector::Caller> anybody = Authenticate(request, "");
  if (absl::IsUnauthenticated(anybody.status())) {
    tokens_needed_ = true;
    return visitor;
  }
  if (!anybody.ok()) return anybody.status();
  RETURN_IF_ERROR(CheckHost(request));
  visitor.caller = *std::move(anybody);
  return visitor;
}

std::string Visits::PersonOf(PageRequest& request) {
  if (!request.proxy_user.empty() && options_.proxies.contains(request.peer)) {
    return absl::StrCat("user ", request.proxy_user);
  }
  if (!request.authorization.empty()) {
    request.caller = LookUp(request, request.authorization);
    return request.caller->ok() ? request.authorization : "";
  }
  const auto cookie = request.cookies.find(cookie_);
  const std::optional<Session> session =
      cookie == request.cookies.end() ? std::nullopt : FindSession(cookie->second);
  if (session.has_value()) {
    return session->user.empty() ? session->authorization : absl::StrCat("user ", session->user);
  }
  // While no token exists, nobody is a stranger.
  return tokens_needed_ ? "" : absl::StrCat("client ", base::ClientAt(request.peer));
}

absl::Status Visits::Permit(const Visitor& visitor, absl::string_view project,
                            collector::Scope scope) const {
  if (scope == collector::Scope::kRead && options_.public_projects.contains(std::string(project))) {
    return absl::OkStatus();
  }
  return PermitKnown(visitor, project, scope);
}

absl::Status Visits::PermitSource(const Visitor& visitor, absl::string_view project) const {
  return PermitKnown(visitor, project, collector::Scope::kRead);
}

absl::Status Visits::PermitKnown(const Visitor& visitor, absl::string_view project,
                                 collector::Scope scope) const {
  if (!visitor.caller.has_value()) {
    return absl::UnauthenticatedError("log in to see this");
  }
  if (visitor.is_vouched) {
    if (visitor.caller->scopes.Has(scope)) return absl::OkStatus();
    return absl::PermissionDeniedError("such users may read and acknowledge");
  }
  absl::Status status = collector::Permit(*visitor.caller, project, scope);
  if (!status.ok() && access_.note_refusal != nullptr) {
    access_.note_refusal({"", visitor.caller->actor.origin, "page"}, visitor.caller->actor, status);
  }
  return status;
}

std::vector<std::string> Visits::Readable(const Visitor& visitor,
                                          std::vector<std::string> all) const {
  const auto is_closed = [&](const std::string& project) {
    if (options_.public_projects.contains(project)) return false;
    if (!visitor.caller.has_value()) return true;
    return !visitor.is_vouched &&
           !collector::Permit(*visitor.caller, project, collector::Scope::kRead).ok();
  };
  all.erase(std::remove_if(all.begin(), all.end(), is_closed), all.end());
  return all;
}

absl::Status Visits::Charge(const std::string& project, uint64_t bytes) const {
  return access_.charge == nullptr ? absl::OkStatus() : access_.charge(project, bytes);
}

std::string Visits::SignOf(const Visitor& visitor) const {
  return base::HmacSha256Hex(secret_, absl::StrCat(visitor.session, " ", visitor.name()));
}

// Browsers send both headers with a form; other programs need not.
absl::Status Visits::CheckOrigin(const PageRequest& request) const {
  const bool is_same_site = request.fetch_site.empty() || request.fetch_site == "same-origin" ||
                            request.fetch_site == "none";
  absl::string_view authority = request.origin;
  const bool has_scheme = absl::ConsumePrefix(&authority, "https://") ||
                          (!options_.secure_cookies && absl::ConsumePrefix(&authority, "http://"));
  const bool is_ours = request.origin.empty() || request.origin == options_.own_origin ||
                       (has_scheme && authority == request.authority);
  if (is_same_site && is_ours) return absl::OkStatus();
  return absl::PermissionDeniedError(
      "this form was sent by a page of another site: open the page here, and send it from there");
}

absl::Status Visits::CheckForm(const Visitor& visitor, const PageRequest& request) const {
  RETURN_IF_ERROR(CheckOrigin(request));
  if (!visitor.is_new_session && base::EqualSecrets(request.Form("csrf"), SignOf(visitor))) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(
      "this form is of another session: open the page again, and send it from there");
}

absl::StatusOr<std::string> Visits::LogIn(const PageRequest& request, absl::string_view token) {
  const std::string authorization = absl::StrCat("Bearer ", token);
  RETURN_IF_ERROR(Authenticate(request, authorization).status());
  return BeginSession({authorization, "", absl::InfinitePast()});
}

absl::StatusOr<std::string> Visits::LogInUser(const std::string& user) {
  return BeginSession({"", user, absl::InfinitePast()});
}

absl::StatusOr<std::string> Visits::BeginSession(Session session) {
  ASSIGN_OR_RETURN(std::string name, RandomName());
  const absl::Time now = now_();
  absl::MutexLock lock(&mutex_);
  std::erase_if(sessions_, [now](const auto& one) { return one.second.expires <= now; });
  if (sessions_.size() >= options_.most_sessions) {
    const auto oldest = std::min_element(
        sessions_.begin(), sessions_.end(),
        [](const auto& a, const auto& b) { return a.second.expires < b.second.expires; });
    sessions_.erase(oldest);
  }
  session.expires = now + options_.session;
  sessions_[name] = std::move(session);
  return name;
}

void Visits::LogOut(const Visitor& visitor) {
  absl::MutexLock lock(&mutex_);
  sessions_.erase(visitor.session);
}

std::string Visits::CookieOf(absl::string_view session) const {
  return SetCookie(cookie_, session, options_.session);
}

bool Visits::SetsSession(absl::string_view set_cookie) const {
  return absl::ConsumePrefix(&set_cookie, cookie_) && absl::StartsWith(set_cookie, "=");
}

// By the state's last digit, so that other tabs may log in meanwhile.
std::string Visits::LoginCookieName(absl::string_view state) const {
  const int slot = state.empty() ? 0 : state.back() % kLoginsAtOnce;
  return absl::StrCat(cookie_, "_login", slot);
}

std::string Visits::LoginCookieOf(absl::string_view state, absl::string_view value,
                                  absl::Duration lasts) const {
  return SetCookie(LoginCookieName(state), value, lasts);
}

std::string Visits::FindLogin(const PageRequest& request, absl::string_view state) const {
  const auto found = request.cookies.find(LoginCookieName(state));
  return found == request.cookies.end() ? "" : found->second;
}

// Lax: a visitor who follows a comment's link here is still logged in. Forms have their CSRF token.
std::string Visits::SetCookie(absl::string_view name, absl::string_view value,
                              absl::Duration lasts) const {
  const int64_t seconds = value.empty() ? 0 : absl::ToInt64Seconds(lasts);
  const bool all_paths = options_.secure_cookies || options_.path_prefix.empty();
  return absl::StrCat(name, "=", value, "; Path=", all_paths ? "/" : options_.path_prefix,
                      "; Max-Age=", seconds, "; HttpOnly; SameSite=Lax",
                      options_.secure_cookies ? "; Secure" : "");
}

}  // namespace gprofhub::server
