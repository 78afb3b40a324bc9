#include "server/http/function_page.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "page/call_graph.h"
#include "page/views/views.h"
#include "reporter/queries/runs.h"
#include "reporter/queries/trends.h"
#include "reporter/rendering/trend.h"
#include "server/http/target_data.h"

namespace gprofhub::server {

PageCall BeginCall(const PageSources& sources, Visits& visits, const PageRequest& request,
                   const Visitor& visitor) {
  PageCall call = {sources, visits, request, visitor, {}};
  call.context.assets = std::string(AssetsVersion());
  call.context.csrf = visits.SignOf(visitor);
  call.context.user = visitor.name();
  call.context.is_logged_in = visitor.is_logged_in;
  call.context.can_log_in = !visitor.caller.has_value();
  call.context.path_prefix = visits.path_prefix();
  call.context.as_of = AsOfText(sources, "%Y-%m-%d %H:%M:%S UTC");
  return call;
}

absl::Status EnterProject(PageCall& call, const std::string& project, collector::Scope scope) {
  RETURN_IF_ERROR(call.visits.Permit(call.visitor, project, scope));
  RETURN_IF_ERROR(CheckProject(call.store(), project));
  call.context.project = project;
  const auto links = call.sources.links.find(project);
  if (links != call.sources.links.end()) call.context.links = links->second;
  call.context.may_acknowledge =
      call.visitor.caller.has_value() &&
      call.visits.Permit(call.visitor, project, collector::Scope::kAcknowledge).ok();
  return absl::OkStatus();
}

PageAnswer Show(const PageCall& call, const page::Frame& frame, const page::Html& content) {
  PageAnswer answer;
  answer.body = page::WholePage(call.context, frame, content);
  return answer;
}

PageAnswer GoTo(const PageCall& call, const page::Url& url) {
  PageAnswer answer;
  answer.code = 303;
  answer.headers.emplace_back("Location", url.text(call.context.path_prefix));
  return answer;
}

absl::Status NoSuchPage() { return absl::NotFoundError("unknown address"); }

namespace {

constexpr size_t kTargetsToSearch = 50;
constexpr size_t kNamesToChoose = 50;
constexpr size_t kPullRequestRuns = 5;
// Of a trend between two dates, unless the address has a limit.
constexpr uint32_t kRunsOfRange = 1000;
constexpr uint32_t kRunsOfBranches = 500;

uint32_t DefaultLimit(v1::TrendBy by) {
  if (by == v1::BY_DAY) return page::kDaysOfPage;
  return by == v1::BY_WEEK ? page::kWeeksOfPage : page::kRunsOfPage;
}

uint32_t LongestLimit(v1::TrendBy by) {
  return by == v1::BY_RUN ? kRunsOfRange : page::kDaysOfPage;
}

// A range of dates, without its end.
struct DateRange {
  absl::Time from = absl::InfinitePast(), end = absl::InfiniteFuture();
};

// INVALID_ARGUMENT naming the date.
absl::StatusOr<DateRange> RangeOf(const page::FunctionPage& page) {
  DateRange range;
  const auto parse = [](absl::string_view name, const std::string& text, absl::Time& time) {
    std::string error;
    if (text.empty() || absl::ParseTime("%Y-%m-%d", text, &time, &error)) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": invalid date \"", text, "\": use YYYY-MM-DD"));
  };
  RETURN_IF_ERROR(parse("from", page.from, range.from));
  RETURN_IF_ERROR(parse("until", page.until, range.end));
  range.end += absl::Hours(24);
  return range;
}

// Drops what lies outside of the range. Levels stay those of the whole trend.
void KeepRange(const DateRange& range, v1::GetTrendResponse& trend) {
  const auto is_outside = [&range](const auto& point) {
    const absl::Time time = absl::FromUnixMillis(point.unix_ms());
    return time < range.from || time >= range.end;
  };
  auto& points = *trend.mutable_points();
  points.erase(std::remove_if(points.begin(), points.end(), is_outside), points.end());
  auto& periods = *trend.mutable_periods();
  periods.erase(std::remove_if(periods.begin(), periods.end(), is_outside), periods.end());
}

// Branches to choose, and the line of the chart.
absl::Status AddChoice(const PageCall& call, page::FunctionPage& page) {
  store::RunFilter newest;
  newest.project = call.context.project;
  newest.counted_only = true;
  newest.limit = kRunsOfBranches;
  ASSIGN_OR_RETURN(const std::vector<store::RunHead> runs,
                   call.store().reading.ListRunHeads(newest));
  std::set<std::string> branches;
  for (const store::RunHead& run : runs) {
    if (!run.branch.empty()) branches.insert(run.branch);
  }
  page.branches.assign(branches.begin(), branches.end());
  if (page.branch.empty() && page.trend.by() == v1::BY_RUN) {
    ASSIGN_OR_RETURN(std::string main, call.store().reading.FindMainBranch(call.context.project));
    const auto is_of_main = [&main](const v1::TrendPoint& point) { return point.branch() == main; };
    const bool has_main =
        std::any_of(page.trend.points().begin(), page.trend.points().end(), is_of_main);
    if (has_main) page.line_branch = std::move(main);
  }
  return absl::OkStatus();
}

// Those of the latest run that can be read. Adds all labels to the choice of `page`.
absl::StatusOr<std::vector<TargetOfRun>> NewestTargets(const PageCall& call,
                                                       page::FunctionPage& page) {
  const std::string& target = page.target;
  v1::GetRunRequest request;
  request.set_project(call.context.project);
  request.set_run("latest");
  ASSIGN_OR_RETURN(const v1::Run run, reporter::GetRun(call.store().reading, request));
  std::vector<TargetOfRun> targets;
  for (const v1::Target& one : run.targets()) {
    page.targets.push_back(one.label());
    if (targets.size() == kTargetsToSearch) continue;
    if (one.state() != v1::Target::ANALYZED || (!target.empty() && one.label() != target)) {
      continue;
    }
    absl::StatusOr<TargetOfRun> found =
        FindTargetOfRun(call.store(), call.context.project, run.run_id(), one.label());
    if (found.ok()) targets.push_back(*std::move(found));
  }
  return targets;
}

absl::StatusOr<v1::GetTrendResponse> ReadTrend(const PageCall& call, const std::string& name,
                                               v1::TrendBy by, uint32_t limit,
                                               const std::string& run = "") {
  if (name.empty()) {
    return absl::InvalidArgumentError("Which function? Type a part of its name.");
  }
  v1::GetTrendRequest request;
  request.set_project(call.context.project);
  request.set_function(name);
  request.set_target(call.request.Query("target"));
  request.set_branch(call.request.Query("branch"));
  request.set_configuration(call.request.Query("configuration"));
  request.set_by(by);
  request.set_limit(limit);
  request.set_run_id(run);
  return reporter::GetTrend(call.store().reading, call.store().blobs, request,
                            &call.store().memory->queries);
}

// The trend up to the newest run of a pull request that has the function. NOT_FOUND without one.
absl::StatusOr<v1::GetTrendResponse> ReadTrendOfPullRequest(const PageCall& call) {
  v1::ListRunsRequest request;
  request.set_project(call.context.project);
  ASSIGN_OR_RETURN(const v1::ListRunsResponse runs,
                   reporter::ListRuns(call.store().reading, request));
  absl::StatusOr<v1::GetTrendResponse> trend = absl::NotFoundError("no function has this name");
  size_t tried = 0;
  for (const v1::Run& run : runs.runs()) {
    if (run.info().pull_request().empty()) continue;
    trend = ReadTrend(call, call.request.Query("name"), v1::BY_RUN, DefaultLimit(v1::BY_RUN),
                      run.run_id());
    if (!absl::IsNotFound(trend.status()) || ++tried == kPullRequestRuns) break;
  }
  return trend;
}

absl::StatusOr<PageAnswer> ChooseFunction(const PageCall& call,
                                          const std::vector<TargetOfRun>& targets,
                                          const absl::Status& why) {
  if (!absl::IsInvalidArgument(why) && !absl::IsNotFound(why)) return why;
  const std::string& name = call.request.Query("name");
  std::vector<std::pair<std::string, std::string>> names;
  std::set<std::string> seen;
  for (const TargetOfRun& target : targets) {
    const absl::StatusOr<KeptProfile> profile = ReadComputed(call.store(), target);
    if (!profile.ok()) continue;
    for (const uint32_t row : page::HottestFunctions(**profile, name, kNamesToChoose)) {
      const std::string linkage(page::NameOf(**profile, row));
      if (names.size() < kNamesToChoose && seen.insert(linkage).second) {
        names.emplace_back(linkage, page::DisplayNameOf(**profile, row));
      }
    }
  }
  PageAnswer answer =
      Show(call, {"Functions"},
           page::FunctionChoiceView(
               call.context, name, names,
               names.empty() ? base::PublicMessageOf(why) : "From the latest run, hottest first."));
  if (names.empty() && !name.empty()) answer.code = 404;
  return answer;
}

// The further functions of the address.
void AddBeside(const PageCall& call, v1::TrendBy by, uint32_t limit, page::FunctionPage& function) {
  for (size_t n = 1; n <= page::kMostBeside; ++n) {
    const std::string& name = call.request.Query(page::BesideField(n));
    if (name.empty()) continue;
    absl::StatusOr<v1::GetTrendResponse> trend = ReadTrend(call, name, by, limit);
    if (trend.ok()) {
      function.beside.push_back(*std::move(trend));
    } else {
      function.notes.push_back(
          absl::StrCat("Compare with “", name, "”: ", base::PublicMessageOf(trend.status())));
    }
  }
}

// Callers and callees of the function in the newest run, in the target where it costs most.
void AddReached(const PageCall& call, const std::vector<TargetOfRun>& targets,
                page::FunctionPage& function) {
  double most = -1;
  for (const TargetOfRun& target : targets) {
    const absl::StatusOr<KeptProfile> profile = ReadComputed(call.store(), target);
    if (!profile.ok()) continue;
    const std::optional<uint32_t> row = page::FindFunction(**profile, function.trend.function());
    if (!row.has_value()) continue;
    function.newest_run = absl::StrCat(target.run.id);
    function.reached.push_back({target.target.label, page::CostOf(**profile, *row)});
    const page::GraphEntry& entry = function.reached.back().entry;
    const double time = entry.self_time + entry.children_time;
    if (time <= most) continue;
    most = time;
    function.around = page::CallersAndCallees(
        call.context, {function.newest_run, target.run.commit, target.target.label}, **profile,
        *row);
  }
  std::stable_sort(function.reached.begin(), function.reached.end(),
                   [](const auto& a, const auto& b) {
                     return a.entry.self_time + a.entry.children_time >
                            b.entry.self_time + b.entry.children_time;
                   });
}

}  // namespace

absl::StatusOr<PageAnswer> FunctionPage(PageCall& call) {
  ASSIGN_OR_RETURN(const uint32_t asked, call.request.Number("limit", kMostTrendRuns));
  ASSIGN_OR_RETURN(const v1::TrendBy by, reporter::TrendByOf(call.request.Query("by")));
  const bool has_range =
      !call.request.Query("from").empty() || !call.request.Query("until").empty();
  const uint32_t limit = asked != 0 ? asked : has_range ? LongestLimit(by) : DefaultLimit(by);
  page::FunctionPage function;
  function.target = call.request.Query("target");
  function.branch = call.request.Query("branch");
  function.limit = asked;
  function.from = call.request.Query("from");
  function.until = call.request.Query("until");
  ASSIGN_OR_RETURN(const DateRange range, RangeOf(function));
  ASSIGN_OR_RETURN(const std::vector<TargetOfRun> targets, NewestTargets(call, function));
  absl::StatusOr<v1::GetTrendResponse> trend =
      ReadTrend(call, call.request.Query("name"), by, limit);
  if (absl::IsNotFound(trend.status())) {
    absl::StatusOr<v1::GetTrendResponse> other = ReadTrendOfPullRequest(call);
    if (other.ok()) {
      trend = std::move(other);
      function.notes.push_back(
          "The main line does not have this function: only a pull request has.");
    }
  }
  if (!trend.ok()) return ChooseFunction(call, targets, trend.status());
  function.trend = *std::move(trend);
  KeepRange(range, function.trend);
  AddBeside(call, by, limit, function);
  RETURN_IF_ERROR(AddChoice(call, function));
  AddReached(call, targets, function);
  return Show(call, {std::string(page::DisplayOf(function.trend)), "", {}, "chart"},
              page::FunctionView(call.context, function));
}

}  // namespace gprofhub::server
