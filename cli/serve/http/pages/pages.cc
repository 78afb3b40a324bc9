#include "cli/serve/http/pages/pages.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/public_message.h"
#include "cli/serve/http/assets/assets.h"
#include "cli/serve/http/pages/account_pages.h"
#include "cli/serve/http/pages/acknowledging.h"
#include "cli/serve/http/pages/comparison_pages.h"
#include "cli/serve/http/pages/function_page.h"
#include "cli/serve/http/pages/invocation_pages.h"
#include "cli/serve/http/pages/page_call.h"
#include "cli/serve/http/pages/project_pages.h"
#include "cli/serve/http/pages/target_pages.h"
#include "page/views/addresses.h"
#include "page/views/service.h"
#include "page/views/shell.h"

namespace gprofhub::cli {
namespace {

using collector::Scope;

absl::string_view TitleOf(const absl::Status& status) {
  switch (CodeOf(status)) {
    case 400:
      return "That cannot be shown";
    case 401:
      return "Log in first";
    case 403:
      return "That is not open to you";
    case 404:
      return "There is no such page";
    case 409:
      return "Not yet";
    case 429:
    case 503:
      return "Try again in a moment";
    default:
      return "Something went wrong here";
  }
}

absl::StatusOr<PageAnswer> LicencesPage(const PageCall& call) {
  std::vector<page::Licence> licences;
  for (const AssetLicence& one : AssetLicences()) {
    licences.push_back({std::string(one.name), std::string(one.version), std::string(one.licence),
                        std::string(one.text)});
  }
  return Show(call, {"Licences"}, page::LicencesView(licences));
}

struct Route {
  std::initializer_list<absl::string_view> path;  // "*" is any segment
  absl::StatusOr<PageAnswer> (*make)(PageCall& call);
};

// Routes below /p/PROJECT, for the project's readers.
const Route kProjectRoutes[] = {
    {{"p", "*"}, ProjectPage},
    {{"p", "*", "runs"}, RunsPage},
    {{"p", "*", "changes"}, ChangesPage},
    {{"p", "*", "gate"}, GatePage},
    {{"p", "*", "function"}, FunctionPage},
    {{"p", "*", "invocations"}, InvocationsPage},
    {{"p", "*", "invocations", "*"}, InvocationPage},
    {{"p", "*", "runs", "*"}, RunPage},
    {{"p", "*", "compare", "*"}, ComparisonPage},
    {{"p", "*", "compare", "*", "*"}, FindingPage},
    {{"p", "*", "runs", "*", "*"}, TargetPage},
};

absl::StatusOr<PageAnswer> Answer(PageCall& call) {
  const PageRequest& request = call.request;
  if (request.path.empty()) return ProjectsPage(call);
  if (request.Is({"login"})) return LoginForm(call, "", request.Query("next"));
  if (request.Is({"login", "issuer"})) return GoToIssuer(call);
  if (request.Is({"login", "done"})) return ComeFromIssuer(call);
  if (request.Is({"licences"})) return LicencesPage(call);
  if (request.Is({"invocations", "*"})) return InvocationLink(call);
  if (request.path.front() != "p" || request.path.size() < 2) return NoSuchPage();
  if (absl::Status status = EnterProject(call, request.path[1], Scope::kRead); !status.ok()) {
    return status;
  }
  for (const Route& route : kProjectRoutes) {
    if (request.Is(route.path)) return route.make(call);
  }
  return NoSuchPage();
}

// Handles forms that change data. Each form has its CSRF token.
absl::StatusOr<PageAnswer> Act(PageCall& call) {
  const PageRequest& request = call.request;
  if (absl::Status status = call.visits.CheckForm(call.visitor, request); !status.ok()) {
    return status;
  }
  if (request.Is({"login"})) return LogIn(call);
  if (request.Is({"logout"})) return LogOut(call);
  const bool is_acknowledgement = request.Is({"p", "*", "acknowledge"});
  if (!is_acknowledgement && !request.Is({"p", "*", "take-back"})) return NoSuchPage();
  absl::Status status = EnterProject(call, request.path[1], Scope::kAcknowledge);
  if (!status.ok()) return status;
  if (!call.visitor.caller.has_value()) return absl::UnauthenticatedError("log in to do this");
  return is_acknowledgement ? Acknowledge(call) : TakeBack(call);
}

}  // namespace

PageAnswer ErrorPage(const absl::Status& status) {
  page::Context context;
  context.assets = std::string(AssetsVersion());
  context.can_log_in = absl::IsUnauthenticated(status);
  PageAnswer answer;
  answer.code = CodeOf(status);
  const std::string title(TitleOf(status));
  // Details of internal errors are in the log only.
  const std::string words =
      answer.code == 500 ? "The server's log says more." : base::PublicMessageOf(status);
  answer.body = page::WholePage(context, {title}, page::MessageView(title, words));
  return answer;
}

PageAnswer AnswerPage(const PageSources& sources, Visits& visits, const PageRequest& request) {
  const absl::StatusOr<Visitor> visitor = visits.Identify(request);
  if (!visitor.ok()) return ErrorPage(visitor.status());
  PageCall call = BeginCall(sources, visits, request, *visitor);
  absl::StatusOr<PageAnswer> answer = request.is_post ? Act(call) : Answer(call);
  if (absl::IsUnauthenticated(answer.status()) && !request.is_post) {
    answer = GoTo(page::LoginUrl().With("next", request.target));
  }
  PageAnswer out = answer.ok() ? *std::move(answer) : ErrorPage(answer.status());
  const bool has_cookie = std::any_of(out.headers.begin(), out.headers.end(),
                                      [](const auto& one) { return one.first == "Set-Cookie"; });
  if (visitor->is_new_session && !has_cookie) {
    out.headers.emplace_back("Set-Cookie", visits.CookieOf(visitor->session));
  }
  return out;
}

}  // namespace gprofhub::cli
