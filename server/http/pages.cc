#include "server/http/pages.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "page/trend_picture.h"
#include "page/views/invocation.h"
#include "page/views/runs.h"
#include "page/views/shell.h"
#include "page/views/views.h"
#include "profile/demangle.h"
#include "reporter/posting/post_report.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/gate.h"
#include "reporter/queries/runs.h"
#include "reporter/queries/trends.h"
#include "server/http/function_page.h"
#include "server/http/search.h"
#include "server/http/target_pages.h"

namespace gprofhub::server {

// Logging in and out.

// `refusal`: why the last attempt failed; empty: first attempt. `next`: the page after the log-in.
PageAnswer LoginForm(const PageCall& call, const std::string& refusal, const std::string& next);

// Handles the form. Returns a session cookie, or the form again.
absl::StatusOr<PageAnswer> LogIn(PageCall& call);
absl::StatusOr<PageAnswer> LogOut(PageCall& call);

// Redirects to the issuer's page, and handles the redirect back. NOT_FOUND without an issuer;
// LoginIssuer's errors.
absl::StatusOr<PageAnswer> GoToIssuer(PageCall& call);
absl::StatusOr<PageAnswer> ComeFromIssuer(PageCall& call);

namespace {

// A page of ours, and nothing that a browser takes for another server or a header's end.
bool IsOurs(const std::string& next) {
  return (absl::StartsWith(next, "/p/") || absl::StartsWith(next, "/invocations/")) &&
         std::all_of(next.begin(), next.end(),
                     [](char c) { return c > ' ' && c < 0x7F && c != '\\'; });
}

// The browser has this session from now on.
PageAnswer Enter(const PageCall& call, const std::string& session, const std::string& next) {
  PageAnswer answer = GoTo(call, page::HomeUrl());
  if (IsOurs(next)) answer.headers.back().second = absl::StrCat(call.context.path_prefix, next);
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
  PageAnswer answer = GoTo(call, page::HomeUrl());
  answer.headers.emplace_back("Set-Cookie", call.visits.CookieOf(""));
  return answer;
}

absl::StatusOr<PageAnswer> GoToIssuer(PageCall& call) {
  if (call.sources.login == nullptr) return NoSuchPage();
  LoginIssuer& issuer = *call.sources.login;
  ASSIGN_OR_RETURN(const LoginIssuer::Begun begun,
                   issuer.Begin(call.visitor.session, call.request.Query("next")));
  PageAnswer answer = GoTo(call, begun.url);
  answer.headers.emplace_back("Set-Cookie", call.visits.LoginCookieOf(begun.state, begun.cookie,
                                                                      issuer.options().patience));
  return answer;
}

absl::StatusOr<PageAnswer> ComeFromIssuer(PageCall& call) {
  if (call.sources.login == nullptr) return NoSuchPage();
  const std::string& state = call.request.Query("state");
  const absl::StatusOr<LoginIssuer::LoggedIn> user =
      call.sources.login->End(call.visitor.session, call.visits.FindLogin(call.request, state),
                              state, call.request.Query("code"));
  if (absl::IsUnauthenticated(user.status())) {
    return LoginForm(call, std::string(user.status().message()), "");
  }
  if (!user.ok()) return user.status();
  ASSIGN_OR_RETURN(const std::string session, call.visits.LogInUser(user->user));
  PageAnswer answer = Enter(call, session, user->next);
  answer.headers.emplace_back("Set-Cookie",
                              call.visits.LoginCookieOf(state, "", absl::ZeroDuration()));
  return answer;
}

// Acknowledgements of findings on pages, and their revocation.

// Handlers of the forms. The call's visitor may acknowledge in its project. Each redirects to the
// page with the form. Errors are reporter::Acknowledge's and TakeBackAcknowledgement's.
absl::StatusOr<PageAnswer> Acknowledge(PageCall& call);
absl::StatusOr<PageAnswer> TakeBack(PageCall& call);

absl::StatusOr<PageAnswer> Acknowledge(PageCall& call) {
  const PageRequest& form = call.request;
  v1::AcknowledgeRequest asked;
  asked.set_project(call.context.project);
  v1::Acknowledgement& said = *asked.mutable_acknowledgement();
  said.set_function(form.Form("function"));
  said.set_target(form.Form("target"));
  said.set_pull_request(form.Form("pull_request"));
  said.set_reason(form.Form("reason"));
  said.set_author(form.Form("author"));  // for anonymous users
  said.set_not_a_regression(form.Form("kind") == "false-alarm");
  RETURN_IF_ERROR(call.visits.Charge(call.context.project, asked.ByteSizeLong()));
  RETURN_IF_ERROR(
      reporter::Acknowledge(call.store().gate, asked, call.visitor.caller->actor, absl::Now())
          .status());
  return GoTo(call, page::FindingUrl(call.context.project, form.Form("run"), form.Form("base"),
                                     form.Form("finding")));
}

absl::StatusOr<PageAnswer> TakeBack(PageCall& call) {
  v1::TakeBackAcknowledgementRequest asked;
  asked.set_project(call.context.project);
  int64_t id = 0;
  if (!absl::SimpleAtoi(call.request.Form("id"), &id)) {
    return absl::InvalidArgumentError("id: must be a number");
  }
  asked.set_id(id);
  RETURN_IF_ERROR(call.visits.Charge(call.context.project, asked.ByteSizeLong()));
  const bool anybodys = call.visitor.caller->scopes.Has(collector::Scope::kAdmin);
  RETURN_IF_ERROR(reporter::TakeBackAcknowledgement(
                      call.store().gate, asked, call.visitor.caller->actor, anybodys, absl::Now())
                      .status());
  return GoTo(call, page::GateUrl(call.context.project));
}

namespace {

// Bazel's invocations: the address that Bazel prints (--bes_results_url), and its target.

// /invocations/ID, of any project that the visitor may read: redirects to the invocation's page
// while it exists, and then to the comparison of its run. NOT_FOUND: no such invocation has begun;
// UNAUTHENTICATED for anonymous visitors.
absl::StatusOr<PageAnswer> InvocationLink(PageCall& call);

// /p/PROJECT/invocations, and /p/PROJECT/invocations/ID, which loads itself again while it runs.
absl::StatusOr<PageAnswer> InvocationsPage(PageCall& call);
absl::StatusOr<PageAnswer> InvocationPage(PageCall& call);

constexpr uint32_t kListedInvocations = 100;
constexpr char kLookAgainSeconds[] = "3";

absl::StatusOr<page::InvocationShown> Read(const PageCall& call,
                                           const store::InvocationRecord& invocation) {
  page::InvocationShown shown;
  shown.invocation = invocation;
  ASSIGN_OR_RETURN(std::vector<store::InvocationTarget> targets,
                   call.store().invocations.ListTargets(invocation.id));
  shown.targets = std::move(targets);
  if (invocation.run_id == 0) return shown;
  v1::GetRunRequest request;
  request.set_project(invocation.project);
  request.set_run(absl::StrCat(invocation.run_id));
  request.set_with_executions(true);
  absl::StatusOr<v1::Run> run = reporter::GetRun(call.store().reading, request);
  // A run may be deleted before its invocation is forgotten.
  if (!run.ok() && !absl::IsNotFound(run.status())) return run.status();
  if (run.ok()) shown.run = *std::move(run);
  return shown;
}

absl::Status NoInvocation() {
  return absl::NotFoundError(
      "No invocation with this id has sent its build events, or none that you may read.");
}

absl::StatusOr<PageAnswer> InvocationLink(PageCall& call) {
  ASSIGN_OR_RETURN(const std::vector<store::InvocationRecord> all,
                   call.store().invocations.Find(call.request.path[1]));
  std::vector<store::InvocationRecord> readable;
  for (const store::InvocationRecord& one : all) {
    if (call.visits.Permit(call.visitor, one.project, collector::Scope::kRead).ok()) {
      readable.push_back(one);
    }
  }
  if (readable.empty()) {
    if (!call.visitor.caller.has_value()) return absl::UnauthenticatedError("log in to see it");
    return NoInvocation();
  }
  // Ids are chosen by their senders, so none of the invocations takes precedence.
  if (readable.size() > 1) {
    return Show(call, {"Invocations"}, page::SameInvocationView(readable));
  }
  const store::InvocationRecord& invocation = readable.front();
  ASSIGN_OR_RETURN(const page::InvocationShown shown, Read(call, invocation));
  return GoTo(call, page::IsWhole(shown)
                        ? page::CompareUrl(invocation.project, shown.run->run_id(), "")
                        : page::InvocationUrl(invocation.project, invocation.invocation_id));
}

absl::StatusOr<PageAnswer> InvocationsPage(PageCall& call) {
  ASSIGN_OR_RETURN(const std::vector<store::InvocationRecord> invocations,
                   call.store().invocations.List(call.context.project, kListedInvocations));
  return Show(call, {"Invocations", "invocations"}, page::InvocationsView(invocations));
}

absl::StatusOr<PageAnswer> InvocationPage(PageCall& call) {
  ASSIGN_OR_RETURN(const std::vector<store::InvocationRecord> all,
                   call.store().invocations.Find(call.request.path[3]));
  for (const store::InvocationRecord& one : all) {
    if (one.project != call.context.project) continue;
    ASSIGN_OR_RETURN(const page::InvocationShown shown, Read(call, one));
    page::Frame frame = {absl::StrCat("Invocation ", one.invocation_id), "invocations"};
    frame.way.emplace_back("Invocations", page::InvocationsUrl(call.context.project));
    PageAnswer answer = Show(call, frame, page::InvocationView(call.context, shown));
    if (page::IsUnderWay(shown)) answer.headers.emplace_back("Refresh", kLookAgainSeconds);
    return answer;
  }
  return NoInvocation();
}

// Overview pages: projects, the runs of one, the changes of its main line, its gate.

// Each makes the page that its request's address names. Errors are those of the queries.
absl::StatusOr<PageAnswer> ProjectsPage(PageCall& call);
absl::StatusOr<PageAnswer> ProjectPage(PageCall& call);
absl::StatusOr<PageAnswer> RunPage(PageCall& call);
absl::StatusOr<PageAnswer> ChangesPage(PageCall& call);
absl::StatusOr<PageAnswer> GatePage(PageCall& call);

constexpr uint32_t kListedProjects = 1000;
constexpr uint32_t kLatestRuns = 30;

// Of the main branch, if `branch` is empty.
absl::StatusOr<v1::GetChangesResponse> ReadChanges(const PageCall& call,
                                                   const std::string& branch) {
  v1::GetChangesRequest request;
  request.set_project(call.context.project);
  request.set_branch(branch);
  ASSIGN_OR_RETURN(v1::GetChangesResponse changes,
                   reporter::GetChanges(call.store().reading, call.store().blobs, request));
  RETURN_IF_ERROR(reporter::AddCulprits(call.store().reading, call.store().gate,
                                        call.context.project, changes));
  return changes;
}

// Address for uploads: as the browser calls this server, if the listener has any address.
std::string UploadServerOf(const PageCall& call) {
  if (!call.sources.uploads.has_value()) return "HOST:PORT";
  ListenAddress address = *call.sources.uploads;
  if (address.host == "0.0.0.0" || address.host == "::") address.host = call.request.host;
  return address.ToString();
}

absl::StatusOr<PageAnswer> ProjectsPage(PageCall& call) {
  ASSIGN_OR_RETURN(const std::vector<std::string> all,
                   call.store().reading.ListProjects(kListedProjects));
  const std::vector<std::string> readable = call.visits.Readable(call.visitor, all);
  if (readable.empty() && !call.visitor.caller.has_value()) return LoginForm(call, "", "/");
  std::vector<page::ProjectSummary> projects;
  for (const std::string& project : readable) {
    v1::ListRunsRequest request;
    request.set_project(project);
    request.set_limit(1);
    ASSIGN_OR_RETURN(const v1::ListRunsResponse runs,
                     reporter::ListRuns(call.store().reading, request));
    projects.push_back({project, {runs.runs().begin(), runs.runs().end()}});
  }
  const bool needs_token = !call.visitor.caller.has_value() || !call.visitor.caller->anonymous;
  return Show(call, {"Projects"}, page::ProjectsView(projects, UploadServerOf(call), needs_token));
}

absl::StatusOr<PageAnswer> ProjectPage(PageCall& call) {
  v1::ListRunsRequest request;
  request.set_project(call.context.project);
  request.set_limit(kLatestRuns);
  ASSIGN_OR_RETURN(const v1::ListRunsResponse runs,
                   reporter::ListRuns(call.store().reading, request));
  const absl::StatusOr<v1::GetChangesResponse> changes = ReadChanges(call, "");
  return Show(call, {call.context.project, "project"},
              page::ProjectView(call.context, {runs.runs().begin(), runs.runs().end()},
                                changes.ok() ? *changes : v1::GetChangesResponse(),
                                changes.ok() ? "" : base::PublicMessageOf(changes.status())));
}

absl::StatusOr<PageAnswer> RunPage(PageCall& call) {
  v1::GetRunRequest request;
  request.set_project(call.context.project);
  request.set_run(call.request.path[3]);
  request.set_with_executions(true);
  ASSIGN_OR_RETURN(v1::Run run, reporter::GetRun(call.store().reading, request));
  int64_t run_id = 0;
  if (!absl::SimpleAtoi(run.run_id(), &run_id)) return absl::InternalError("a run has no number");
  ASSIGN_OR_RETURN(std::vector<store::KeptLog> logs, call.store().invocations.ListLogs(run_id));
  ASSIGN_OR_RETURN(std::vector<std::string> invocations,
                   call.store().invocations.ListOfRun(run_id, kListedInvocations));
  const page::RunShown shown = {std::move(run), std::move(logs), std::move(invocations)};
  page::Frame frame = {page::RunTitle(shown.run), "runs"};
  frame.way.emplace_back("Runs", page::RunsUrl(call.context.project));
  return Show(call, frame, page::RunView(call.context, shown));
}

absl::StatusOr<PageAnswer> ChangesPage(PageCall& call) {
  ASSIGN_OR_RETURN(const v1::GetChangesResponse changes,
                   ReadChanges(call, call.request.Query("branch")));
  return Show(call, {"Changes", "changes"}, page::ChangesView(call.context, changes));
}

absl::StatusOr<PageAnswer> GatePage(PageCall& call) {
  v1::GetGateStatsRequest stats_request;
  stats_request.set_project(call.context.project);
  ASSIGN_OR_RETURN(const v1::GetGateStatsResponse stats,
                   reporter::GetGateStats(call.store().reading, call.store().gate, stats_request));
  v1::ListAcknowledgementsRequest said_request;
  said_request.set_project(call.context.project);
  ASSIGN_OR_RETURN(const v1::ListAcknowledgementsResponse said,
                   reporter::ListAcknowledgements(call.store().gate, said_request));
  return Show(call, {"Gate", "gate"}, page::GateView(call.context, stats, said));
}

using collector::Scope;

// Title of an error page, and the advice below the error's message.
struct ErrorWords {
  int code;
  absl::string_view title, advice;
};
// The last one is for all other codes.
constexpr ErrorWords kErrorWords[] = {
    {400, "Invalid request", "Check the address, or follow a link to the page."},
    {401, "Log-in required", "Log in with a token that is valid."},
    {403, "Access denied", "Log in with a token that has this right, or ask its administrator."},
    {404, "Page not found", "Check the address. Old runs may have been deleted."},
    {405, "Wrong method", "Open the page that has the form or the link."},
    {409, "Not ready yet", "Load this page again when the analysis has finished."},
    {411, "Form not accepted", "Send the form from its page."},
    {413, "Form not accepted", "Shorten the text, and send the form again."},
    {414, "Invalid request", "Shorten the address."},
    {415, "Form not accepted", "Send the form from its page."},
    {429, "Server busy", "Load this page again in a few seconds."},
    {503, "Server busy", "Load this page again in a few seconds."},
    {500, "Internal error", "Ask the server's administrator to read its log."},
};

const ErrorWords& WordsOf(int code) {
  const ErrorWords* words = std::begin(kErrorWords);
  while (words->code != code && words != std::prev(std::end(kErrorWords))) ++words;
  return *words;
}

absl::StatusOr<PageAnswer> LicencesPage(PageCall& call) {
  std::vector<page::Licence> licences;
  for (const AssetLicence& one : AssetLicences()) {
    licences.push_back({std::string(one.name), std::string(one.version), std::string(one.licence),
                        std::string(one.text)});
  }
  return Show(call, {"Licences"}, page::LicencesView(licences));
}

// The form of the log-in page.
absl::StatusOr<PageAnswer> LoginPage(PageCall& call) {
  return LoginForm(call, "", call.request.Query("next"));
}

struct Route {
  std::initializer_list<absl::string_view> path;  // "*" is any segment
  absl::StatusOr<PageAnswer> (*make)(PageCall& call);
  bool is_form = false;  // a POST that changes data; it has its CSRF token
};

// Below "p" the second segment is a project. Its pages need the right to read it, its forms the
// right to acknowledge.
const Route kRoutes[] = {
    {{}, ProjectsPage},
    {{"login"}, LoginPage},
    {{"login"}, LogIn, true},
    {{"login", "issuer"}, GoToIssuer},
    {{"login", "done"}, ComeFromIssuer},
    {{"logout"}, LogOut, true},
    {{"licences"}, LicencesPage},
    {{"invocations", "*"}, InvocationLink},
    {{"p", "*"}, ProjectPage},
    {{"p", "*", "runs"}, RunsPage},
    {{"p", "*", "search"}, SearchPage},
    {{"p", "*", "changes"}, ChangesPage},
    {{"p", "*", "gate"}, GatePage},
    {{"p", "*", "function"}, FunctionPage},
    {{"p", "*", "invocations"}, InvocationsPage},
    {{"p", "*", "invocations", "*"}, InvocationPage},
    {{"p", "*", "runs", "*"}, RunPage},
    {{"p", "*", "compare"}, CompareChosenPage},
    {{"p", "*", "compare", "*"}, ComparisonPage},
    {{"p", "*", "compare", "*", "*"}, FindingPage},
    {{"p", "*", "runs", "*", "*"}, TargetPage},
    {{"p", "*", "acknowledge"}, Acknowledge, true},
    {{"p", "*", "take-back"}, TakeBack, true},
};

PageAnswer WrongMethod(const PageCall& call) {
  return ErrorPage(absl::InvalidArgumentError(call.request.is_post
                                                  ? "this address is that of a page, not of a form"
                                                  : "this address accepts a form only"),
                   call.context, 405);
}

absl::StatusOr<PageAnswer> Answer(PageCall& call) {
  const PageRequest& request = call.request;
  bool is_known = false;
  for (const Route& route : kRoutes) {
    if (!request.Is(route.path)) continue;
    is_known = true;
    if (route.is_form != request.is_post) continue;
    if (route.is_form) RETURN_IF_ERROR(call.visits.CheckForm(call.visitor, request));
    if (!request.path.empty() && request.path.front() == "p") {
      RETURN_IF_ERROR(
          EnterProject(call, request.path[1], route.is_form ? Scope::kAcknowledge : Scope::kRead));
    }
    return route.make(call);
  }
  if (is_known) return WrongMethod(call);
  return NoSuchPage();
}

}  // namespace

PageAnswer ErrorPage(const absl::Status& status, page::Context context, int code) {
  context.assets = std::string(AssetsVersion());
  PageAnswer answer;
  answer.code = code == 0 ? CodeOf(status) : code;
  const ErrorWords& words = WordsOf(answer.code);
  // Details of internal errors are in the log only.
  const std::string why = answer.code == 500 ? "" : base::PublicMessageOf(status);
  answer.body = page::WholePage(
      context, {std::string(words.title)},
      page::ErrorView(context, std::string(words.title), why, std::string(words.advice)));
  return answer;
}

PageAnswer AnswerPage(const PageSources& sources, Visits& visits, const PageRequest& request) {
  const absl::StatusOr<Visitor> visitor = visits.Identify(request);
  if (!visitor.ok()) {
    page::Context context;
    context.path_prefix = visits.path_prefix();
    context.can_log_in = absl::IsUnauthenticated(visitor.status());
    return ErrorPage(visitor.status(), std::move(context));
  }
  PageCall call = BeginCall(sources, visits, request, *visitor);
  absl::StatusOr<PageAnswer> answer = Answer(call);
  if (absl::IsUnauthenticated(answer.status()) && !request.is_post) {
    answer = GoTo(call, page::LoginUrl().With("next", request.target));
  }
  PageAnswer out = answer.ok() ? *std::move(answer) : ErrorPage(answer.status(), call.context);
  const bool has_session =
      std::any_of(out.headers.begin(), out.headers.end(), [&visits](const auto& one) {
        return one.first == "Set-Cookie" && visits.SetsSession(one.second);
      });
  if (visitor->is_new_session && !has_session) {
    out.headers.emplace_back("Set-Cookie", visits.CookieOf(visitor->session));
  }
  return out;
}

namespace {

// Includes runs newer than that of the picture.
constexpr uint32_t kRunsToLookAt = 200;

// Drops newer runs. Levels keep the begin that is known now.
void DropPointsAfter(const std::string& run, v1::GetTrendResponse& trend) {
  int last = trend.points_size() - 1;
  while (last >= 0 && trend.points(last).run_id() != run) --last;
  if (last < 0) return;
  trend.mutable_points()->DeleteSubrange(last + 1, trend.points_size() - last - 1);
}

absl::StatusOr<std::string> MakePicture(const PageStore& store,
                                        const reporter::TrendPicture& picture) {
  ASSIGN_OR_RETURN(const store::RunRecord run, store.reading.ReadRun(picture.run_id));
  if (run.project != picture.project) return absl::NotFoundError("of another project");
  v1::GetTrendRequest request;
  request.set_project(picture.project);
  request.set_function(picture.function);
  request.set_target(picture.target);
  request.set_limit(kRunsToLookAt);
  request.set_run_id(absl::StrCat(picture.run_id));
  ASSIGN_OR_RETURN(v1::GetTrendResponse trend,
                   reporter::GetTrend(store.reading, store.blobs, request, &store.memory->queries));
  DropPointsAfter(absl::StrCat(picture.run_id), trend);
  page::TrendPictureText text;
  text.function = profile::Demangle(picture.function);
  text.target = picture.target;
  text.base_commit = picture.base_commit;
  text.head_commit = run.commit;
  return page::TrendPictureSvg(
      text, trend, picture.is_time ? page::TrendValue::kSelfTime : page::TrendValue::kCalls);
}

PageAnswer NoPicture() {
  PageAnswer answer;
  answer.code = 404;
  answer.type = "text/plain; charset=utf-8";
  answer.body = "page not found\n";
  return answer;
}

}  // namespace

bool IsPicture(const PageRequest& request) {
  return !request.is_post && request.Is({"picture", "trend.svg"});
}

PageAnswer AnswerPicture(const PageSources& sources, const PageRequest& request) {
  const std::optional<reporter::TrendPicture> picture =
      reporter::SignedPicture(request.query, sources.pictures.now(), sources.pictures.key);
  if (!picture.has_value()) return NoPicture();
  absl::StatusOr<std::string> svg = MakePicture(sources.store, *picture);
  if (!svg.ok()) return NoPicture();
  PageAnswer answer;
  answer.type = "image/svg+xml";
  answer.body = *std::move(svg);
  answer.is_picture = true;
  return answer;
}

}  // namespace gprofhub::server
