#include "cli/serve/http/pages/account_pages.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "page/views/addresses.h"
#include "page/views/service.h"

namespace gprofhub::cli {
namespace {

// A page of ours, and nothing that a browser takes for another server or a header's end.
bool IsOurs(const std::string& next) {
  return (absl::StartsWith(next, "/p/") || absl::StartsWith(next, "/invocations/")) &&
         std::all_of(next.begin(), next.end(),
                     [](char c) { return c > ' ' && c < 0x7F && c != '\\'; });
}

// The browser has this session from now on.
PageAnswer Enter(const PageCall& call, const std::string& session, const std::string& next) {
  PageAnswer answer = GoTo(page::HomeUrl());
  if (IsOurs(next)) answer.headers.back().second = next;
  answer.headers.emplace_back("Set-Cookie", call.visits.CookieOf(session));
  return answer;
}

}  // namespace

PageAnswer LoginForm(const PageCall& call, const std::string& refusal, const std::string& next) {
  page::LoginPage login;
  login.refusal = refusal;
  login.next = next;
  if (call.sources.login != nullptr) login.issuer = call.sources.login->name();
  PageAnswer answer = Show(call, {"Log in"}, page::LoginView(call.context, login));
  if (!refusal.empty()) answer.code = 401;
  return answer;
}

absl::StatusOr<PageAnswer> LogIn(PageCall& call) {
  const std::string& next = call.request.Form("next");
  const absl::StatusOr<std::string> session =
      call.visits.LogIn(call.request, call.request.Form("token"));
  if (absl::IsUnauthenticated(session.status())) {
    return LoginForm(call, "That token is not good: it is mistyped, revoked or expired.", next);
  }
  if (!session.ok()) return session.status();
  return Enter(call, *session, next);
}

absl::StatusOr<PageAnswer> LogOut(PageCall& call) {
  call.visits.LogOut(call.visitor);
  PageAnswer answer = GoTo(page::HomeUrl());
  answer.headers.emplace_back("Set-Cookie", call.visits.CookieOf(""));
  return answer;
}

absl::StatusOr<PageAnswer> GoToIssuer(PageCall& call) {
  if (call.sources.login == nullptr) return NoSuchPage();
  const absl::StatusOr<page::Url> url =
      call.sources.login->Begin(call.visitor.session, call.request.Query("next"));
  if (!url.ok()) return url.status();
  return GoTo(*url);
}

absl::StatusOr<PageAnswer> ComeFromIssuer(PageCall& call) {
  if (call.sources.login == nullptr) return NoSuchPage();
  const absl::StatusOr<LoginIssuer::LoggedIn> user = call.sources.login->End(
      call.visitor.session, call.request.Query("state"), call.request.Query("code"));
  if (absl::IsUnauthenticated(user.status())) {
    return LoginForm(call, std::string(user.status().message()), "");
  }
  if (!user.ok()) return user.status();
  const absl::StatusOr<std::string> session = call.visits.LogInUser(user->user);
  if (!session.ok()) return session.status();
  return Enter(call, *session, user->next);
}

}  // namespace gprofhub::cli
