#include "cli/serve/http/api/routes.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/serve/http/api/api_schema.h"
#include "cli/serve/http/api/listing_route.h"
#include "cli/serve/http/data/target_data.h"
#include "page/graph/call_graph.h"
#include "page/views/finding_parts.h"
#include "page/views/target/drawn_graph.h"
#include "proto/query.pb.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/queries/explain.h"
#include "reporter/queries/follow_ups.h"
#include "reporter/queries/gate.h"
#include "reporter/queries/runs.h"
#include "reporter/queries/trends/trend.h"
#include "reporter/rendering/function_rows.h"
#include "reporter/rendering/headline.h"
#include "reporter/rendering/trends/period_trend.h"

namespace gprofhub::cli {
namespace {

using Json = nlohmann::ordered_json;
using Call = ApiCall;
using Route = ApiRoute;
using Parameter = ApiParameter;

constexpr uint32_t kMostRuns = 1000;
constexpr uint32_t kMostTrendRuns = 10000;
constexpr uint32_t kMostFindings = 10000;
constexpr uint32_t kMostChangeRuns = 500;
constexpr uint32_t kMostChanges = 1'000'000;
constexpr uint32_t kMostNodes = 200;
constexpr uint32_t kDefaultNodes = 50;

template <typename Message>
absl::StatusOr<ApiText> JsonOf(const absl::StatusOr<Message>& message) {
  if (!message.ok()) return message.status();
  return ToJson(*message);
}

template <typename Request>
Request RequestFor(const Call& call) {
  Request request;
  request.set_project(call.project);
  return request;
}

absl::StatusOr<ApiText> AnswerRuns(const Call& call) {
  const absl::StatusOr<uint32_t> limit = call.request.Number("limit", kMostRuns);
  if (!limit.ok()) return limit.status();
  const absl::StatusOr<uint32_t> windows = call.request.Number("windows", 1);
  if (!windows.ok()) return windows.status();
  auto request = RequestFor<v1::ListRunsRequest>(call);
  request.set_windows(*windows == 1);
  request.set_branch(call.Query("branch"));
  request.set_commit(call.Query("commit"));
  request.set_pull_request(call.Query("pull_request"));
  request.set_limit(*limit);
  return JsonOf(reporter::ListRuns(call.store().reading, request));
}

absl::StatusOr<ApiText> AnswerRun(const Call& call) {
  auto request = RequestFor<v1::GetRunRequest>(call);
  request.set_run(call.run);
  const absl::StatusOr<uint32_t> executions = call.request.Number("executions", 1);
  if (!executions.ok()) return executions.status();
  request.set_with_executions(*executions == 1);
  return JsonOf(reporter::GetRun(call.store().reading, request));
}

absl::StatusOr<ApiText> AnswerComparison(const Call& call) {
  const absl::StatusOr<uint32_t> limit = call.request.Number("limit", kMostFindings);
  if (!limit.ok()) return limit.status();
  auto request = RequestFor<v1::CompareRequest>(call);
  request.set_head(call.run);
  request.set_base(call.Query("base"));
  request.set_limit(*limit);
  return JsonOf(reporter::CompareRuns(call.store().reading, call.store().blobs, request,
                                      &call.store().memory->queries));
}

absl::StatusOr<ApiText> AnswerVerdict(const Call& call) {
  auto request = RequestFor<v1::CompareRequest>(call);
  request.set_head(call.run);
  request.set_base(call.Query("base"));
  const absl::StatusOr<v1::Report> report = reporter::CompareRuns(
      call.store().reading, call.store().blobs, request, &call.store().memory->queries);
  if (!report.ok()) return report.status();
  const page::Overall overall = page::OverallOf(reporter::GroupByFunction(*report));
  return Json{
      {"kind", overall.kind}, {"words", overall.words}, {"headline", reporter::Headline(*report)}}
      .dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

absl::StatusOr<ApiText> AnswerFinding(const Call& call) {
  auto request = RequestFor<v1::ExplainRequest>(call);
  request.set_finding(call.finding);
  request.set_head(call.run);
  request.set_base(call.Query("base"));
  return JsonOf(reporter::ExplainFinding(call.store().reading, call.store().blobs, request));
}

absl::StatusOr<ApiText> AnswerTrend(const Call& call) {
  const absl::StatusOr<uint32_t> limit = call.request.Number("limit", kMostTrendRuns);
  if (!limit.ok()) return limit.status();
  auto request = RequestFor<v1::GetTrendRequest>(call);
  request.set_function(call.Query("name"));
  request.set_target(call.Query("target"));
  request.set_branch(call.Query("branch"));
  request.set_configuration(call.Query("configuration"));
  const absl::StatusOr<v1::TrendBy> by = reporter::TrendByOf(call.Query("by"));
  if (!by.ok()) return by.status();
  request.set_by(*by);
  request.set_limit(*limit);
  return JsonOf(reporter::GetTrend(call.store().reading, call.store().blobs, request,
                                   &call.store().memory->queries));
}

absl::StatusOr<ApiText> AnswerChanges(const Call& call) {
  const absl::StatusOr<uint32_t> runs = call.request.Number("runs", kMostChangeRuns);
  if (!runs.ok()) return runs.status();
  const absl::StatusOr<uint32_t> limit = call.request.Number("limit", kMostChanges);
  if (!limit.ok()) return limit.status();
  auto request = RequestFor<v1::GetChangesRequest>(call);
  request.set_branch(call.Query("branch"));
  request.set_configuration(call.Query("configuration"));
  request.set_target(call.Query("target"));
  request.set_runs(*runs);
  request.set_limit(*limit);
  absl::StatusOr<v1::GetChangesResponse> changes =
      reporter::GetChanges(call.store().reading, call.store().blobs, request);
  if (!changes.ok()) return changes.status();
  absl::Status status =
      reporter::AddCulprits(call.store().reading, call.store().gate, call.project, *changes);
  if (!status.ok()) return status;
  return ToJson(*changes);
}

absl::StatusOr<ApiText> AnswerGate(const Call& call) {
  return JsonOf(reporter::GetGateStats(call.store().reading, call.store().gate,
                                       RequestFor<v1::GetGateStatsRequest>(call)));
}

absl::StatusOr<ApiText> AnswerAcknowledgements(const Call& call) {
  return JsonOf(reporter::ListAcknowledgements(call.store().gate,
                                               RequestFor<v1::ListAcknowledgementsRequest>(call)));
}

absl::StatusOr<TargetOfRun> TargetOf(const Call& call) {
  return FindTargetOfRun(call.store(), call.project, call.run, call.Query("target"));
}

absl::StatusOr<ApiText> AnswerGraph(const Call& call) {
  const absl::StatusOr<uint32_t> nodes = call.request.Number("nodes", kMostNodes);
  if (!nodes.ok()) return nodes.status();
  const absl::StatusOr<TargetOfRun> target = TargetOf(call);
  if (!target.ok()) return target.status();
  const absl::StatusOr<KeptProfile> profile = ReadComputed(call.store(), *target);
  if (!profile.ok()) return profile.status();
  return page::DrawnGraphJson(page::HottestGraph(**profile, *nodes == 0 ? kDefaultNodes : *nodes));
}

absl::StatusOr<ApiText> AnswerStacks(const Call& call) {
  const absl::StatusOr<TargetOfRun> target = TargetOf(call);
  if (!target.ok()) return target.status();
  std::optional<TargetOfRun> base;
  if (!call.Query("base").empty()) {
    absl::StatusOr<TargetOfRun> found =
        FindTargetOfRun(call.store(), call.project, call.Query("base"), target->target.label);
    if (!found.ok()) return found.status();
    base = *std::move(found);
  }
  const auto flame = ReadFlameGraph(call.store(), *target, base.has_value() ? &*base : nullptr);
  if (!flame.ok()) return flame.status();
  return absl::StrCat("{\"measured\":", (*flame)->is_measured ? "true" : "false",
                      ",\"unit\":", 1e6 * (*flame)->repetitions, ",\"root\":", (*flame)->json, "}");
}

}  // namespace

const std::vector<ApiRoute>& ApiRoutes() {
  const Parameter base = {"base", "a run to compare with; without it the baseline is chosen"};
  const Parameter target = {"target", "the target's label; needed where the run has several"};
  const Parameter limit = {"limit", "how many, newest first", true};
  const Parameter branch = {"branch", "only of this branch"};
  const Json number = {{"type", "number"}}, text = {{"type", "string"}};
  static const auto* const routes = new std::vector<Route>{
      {"/projects/{project}/runs",
       "Runs, newest first",
       {branch,
        {"commit", "or the beginning of it"},
        {"pull_request", "its number"},
        {"windows", "1: windows of programs that run, instead", true},
        limit},
       v1::ListRunsResponse::descriptor(),
       {},
       AnswerRuns},
      {"/projects/{project}/runs/{run}",
       "A run: by id, commit or \"latest\"",
       {{"executions", "1: with each execution of each target", true}},
       v1::Run::descriptor(),
       {},
       AnswerRun},
      {"/projects/{project}/runs/{run}/comparison",
       "What changed in a run",
       {base, limit},
       v1::Report::descriptor(),
       {},
       AnswerComparison},
      {"/projects/{project}/runs/{run}/verdict",
       "What changed in a run, in a word and a sentence",
       {base},
       nullptr,
       ObjectSchema({{"kind", text}, {"words", text}, {"headline", text}}),
       AnswerVerdict},
      {"/projects/{project}/runs/{run}/comparison/{finding}",
       "How a finding is reached",
       {base},
       v1::Explanation::descriptor(),
       {},
       AnswerFinding},
      {"/projects/{project}/runs/{run}/graph",
       "The hottest functions and the calls among them",
       {target, {"nodes", "how many functions, at most 200", true}},
       nullptr,
       ObjectSchema(
           {{"nodes",
             {{"type", "array"},
              {"items", ObjectSchema({{"name", text},
                                      {"display", text},
                                      {"self_share", number},
                                      {"share", number},
                                      {"calls", number}})}}},
            {"edges",
             {{"type", "array"},
              {"items",
               ObjectSchema(
                   {{"from", number}, {"to", number}, {"calls", number}, {"share", number}})}}}}),
       AnswerGraph},
      ListingRoute(),
      {"/projects/{project}/runs/{run}/stacks",
       "Call stacks as a tree; with `base` both sides. Values divided by `unit` are seconds of one "
       "execution",
       {target, base},
       nullptr,
       ObjectSchema({{"measured", {{"type", "boolean"}}},
                     {"unit", number},
                     {"root", {{"$ref", "#/components/schemas/StackNode"}}}}),
       AnswerStacks},
      {"/projects/{project}/function",
       "A function's counts and times from run to run, or by days or weeks",
       {{"name", "linkage or demangled name, or a part that no other has"},
        target,
        branch,
        {"configuration", "of days and weeks: without it, that of the newest run"},
        {"by", "run (without it), day, week"},
        limit},
       v1::GetTrendResponse::descriptor(),
       {},
       AnswerTrend},
      {"/projects/{project}/changes",
       "Where a branch's counts and times changed for good",
       {branch,
        {"configuration", "without it, that of the newest run"},
        target,
        {"runs", "how many to look at, the newest", true},
        limit},
       v1::GetChangesResponse::descriptor(),
       {},
       AnswerChanges},
      {"/projects/{project}/gate",
       "How often each rule of the gate was wrong",
       {},
       v1::GetGateStatsResponse::descriptor(),
       {},
       AnswerGate},
      {"/projects/{project}/acknowledgements",
       "Who said that a change is all right",
       {},
       v1::ListAcknowledgementsResponse::descriptor(),
       {},
       AnswerAcknowledgements},
  };
  return *routes;
}

bool Matches(const ApiRoute& route, const PageRequest& request, ApiCall& call) {
  const std::vector<std::string> pattern = absl::StrSplit(route.path, '/', absl::SkipEmpty());
  if (pattern.size() + 2 != request.path.size()) return false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const std::string& segment = request.path[i + 2];
    if (pattern[i] == "{project}") {
      call.project = segment;
    } else if (pattern[i] == "{run}") {
      call.run = segment;
    } else if (pattern[i] == "{finding}") {
      call.finding = segment;
    } else if (pattern[i] != segment) {
      return false;
    }
  }
  return true;
}

}  // namespace gprofhub::cli
