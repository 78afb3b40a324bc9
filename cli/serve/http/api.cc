#include "cli/serve/http/api.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/public_message.h"
#include "cli/serve/http/api_schema.h"
#include "page/flame/stack_tree.h"
#include "page/graph/call_graph.h"
#include "page/views/profile.h"
#include "proto/query.pb.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/queries/explain.h"
#include "reporter/queries/follow_ups.h"
#include "reporter/queries/gate.h"
#include "reporter/queries/runs.h"
#include "reporter/queries/trend.h"

namespace gprofhub::cli {
namespace {

using Json = nlohmann::ordered_json;
using google::protobuf::Descriptor;

constexpr char kJsonType[] = "application/json";
constexpr uint32_t kListedProjects = 1000;
constexpr uint32_t kMostRuns = 1000;
constexpr uint32_t kMostTrendRuns = 10000;
constexpr uint32_t kMostFindings = 10000;
constexpr uint32_t kMostChangeRuns = 500;
constexpr uint32_t kMostNodes = 200;
constexpr uint32_t kDefaultNodes = 50;
// 50,000 frames are as much as a browser draws.
constexpr double kLeastShare = 0.00002;

struct Call {
  const PageSources& sources;
  const PageRequest& request;
  std::string project, run, finding;

  const PageStore& store() const { return sources.store; }
  const std::string& Query(const std::string& name) const { return request.Query(name); }
};

using Answer = std::function<absl::StatusOr<std::string>(const Call& call)>;

struct Parameter {
  std::string name, about;
  bool is_number = false;
};

struct Route {
  std::string path;  // below /api/v1; "{name}" is any segment
  std::string about;
  std::vector<Parameter> parameters;  // of the query
  const Descriptor* message;          // of the answer; null: `schema` has it
  Json schema;
  Answer answer;
};

template <typename Message>
absl::StatusOr<std::string> JsonOf(const absl::StatusOr<Message>& message) {
  if (!message.ok()) return message.status();
  return ToJson(*message);
}

template <typename Request>
Request RequestFor(const Call& call) {
  Request request;
  request.set_project(call.project);
  return request;
}

absl::StatusOr<std::string> AnswerRuns(const Call& call) {
  const absl::StatusOr<uint32_t> limit = call.request.Number("limit", kMostRuns);
  if (!limit.ok()) return limit.status();
  auto request = RequestFor<v1::ListRunsRequest>(call);
  request.set_branch(call.Query("branch"));
  request.set_commit(call.Query("commit"));
  request.set_pull_request(call.Query("pull_request"));
  request.set_limit(*limit);
  return JsonOf(reporter::ListRuns(call.store().reading, request));
}

absl::StatusOr<std::string> AnswerRun(const Call& call) {
  auto request = RequestFor<v1::GetRunRequest>(call);
  request.set_run(call.run);
  return JsonOf(reporter::GetRun(call.store().reading, request));
}

absl::StatusOr<std::string> AnswerComparison(const Call& call) {
  const absl::StatusOr<uint32_t> limit = call.request.Number("limit", kMostFindings);
  if (!limit.ok()) return limit.status();
  auto request = RequestFor<v1::CompareRequest>(call);
  request.set_head(call.run);
  request.set_base(call.Query("base"));
  request.set_limit(*limit);
  return JsonOf(reporter::CompareRuns(call.store().reading, call.store().blobs, request));
}

absl::StatusOr<std::string> AnswerFinding(const Call& call) {
  auto request = RequestFor<v1::ExplainRequest>(call);
  request.set_finding(call.finding);
  request.set_head(call.run);
  request.set_base(call.Query("base"));
  return JsonOf(reporter::ExplainFinding(call.store().reading, call.store().blobs, request));
}

absl::StatusOr<std::string> AnswerTrend(const Call& call) {
  const absl::StatusOr<uint32_t> limit = call.request.Number("limit", kMostTrendRuns);
  if (!limit.ok()) return limit.status();
  auto request = RequestFor<v1::GetTrendRequest>(call);
  request.set_function(call.Query("name"));
  request.set_target(call.Query("target"));
  request.set_branch(call.Query("branch"));
  request.set_limit(*limit);
  return JsonOf(reporter::GetTrend(call.store().reading, call.store().blobs, request));
}

absl::StatusOr<std::string> AnswerChanges(const Call& call) {
  const absl::StatusOr<uint32_t> limit = call.request.Number("limit", kMostChangeRuns);
  if (!limit.ok()) return limit.status();
  auto request = RequestFor<v1::GetChangesRequest>(call);
  request.set_branch(call.Query("branch"));
  request.set_configuration(call.Query("configuration"));
  request.set_target(call.Query("target"));
  request.set_limit(*limit);
  absl::StatusOr<v1::GetChangesResponse> changes =
      reporter::GetChanges(call.store().reading, call.store().blobs, request);
  if (!changes.ok()) return changes.status();
  absl::Status status =
      reporter::AddCulprits(call.store().reading, call.store().gate, call.project, *changes);
  if (!status.ok()) return status;
  return ToJson(*changes);
}

absl::StatusOr<std::string> AnswerGate(const Call& call) {
  return JsonOf(reporter::GetGateStats(call.store().reading, call.store().gate,
                                       RequestFor<v1::GetGateStatsRequest>(call)));
}

absl::StatusOr<std::string> AnswerAcknowledgements(const Call& call) {
  return JsonOf(reporter::ListAcknowledgements(call.store().gate,
                                               RequestFor<v1::ListAcknowledgementsRequest>(call)));
}

absl::StatusOr<TargetOfRun> TargetOf(const Call& call) {
  return FindTargetOfRun(call.store(), call.project, call.run, call.Query("target"));
}

absl::StatusOr<std::string> AnswerGraph(const Call& call) {
  const absl::StatusOr<uint32_t> nodes = call.request.Number("nodes", kMostNodes);
  if (!nodes.ok()) return nodes.status();
  const absl::StatusOr<TargetOfRun> target = TargetOf(call);
  if (!target.ok()) return target.status();
  const absl::StatusOr<profile::ComputedProfile> profile = ReadComputed(call.store(), *target);
  if (!profile.ok()) return profile.status();
  return page::DrawnGraphJson(page::HottestGraph(*profile, *nodes == 0 ? kDefaultNodes : *nodes));
}

absl::StatusOr<std::string> AnswerStacks(const Call& call) {
  const absl::StatusOr<TargetOfRun> target = TargetOf(call);
  if (!target.ok()) return target.status();
  const absl::StatusOr<FoldedStacks> after = ReadStacks(call.store(), *target);
  if (!after.ok()) return after.status();
  FoldedStacks before;
  if (!call.Query("base").empty()) {
    const absl::StatusOr<TargetOfRun> base =
        FindTargetOfRun(call.store(), call.project, call.Query("base"), target->target.label);
    if (!base.ok()) return base.status();
    absl::StatusOr<FoldedStacks> stacks = ReadStacks(call.store(), *base);
    if (!stacks.ok()) return stacks.status();
    before = *std::move(stacks);
  }
  const double scale = static_cast<double>(after->repetitions) / before.repetitions;
  const absl::StatusOr<page::StackNode> tree =
      page::StackTree(before.text, after->text, scale, kLeastShare);
  if (!tree.ok()) return tree.status();
  return absl::StrCat("{\"measured\":", after->is_measured ? "true" : "false",
                      ",\"unit\":", 1e6 * after->repetitions,
                      ",\"root\":", page::StackTreeJson(*tree), "}");
}

Json ObjectSchema(Json properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

const std::vector<Route>& Routes() {
  const Parameter base = {"base", "a run to compare with; without it the baseline is chosen"};
  const Parameter target = {"target", "the target's label; needed where the run has several"};
  const Parameter limit = {"limit", "how many, newest first", true};
  const Parameter branch = {"branch", "only of this branch"};
  const Json number = {{"type", "number"}}, text = {{"type", "string"}};
  static const auto* const routes = new std::vector<Route>{
      {"/projects/{project}/runs",
       "Runs, newest first",
       {branch, {"commit", "or the beginning of it"}, {"pull_request", "its number"}, limit},
       v1::ListRunsResponse::descriptor(),
       {},
       AnswerRuns},
      {"/projects/{project}/runs/{run}",
       "A run: by id, commit or \"latest\"",
       {},
       v1::Run::descriptor(),
       {},
       AnswerRun},
      {"/projects/{project}/runs/{run}/comparison",
       "What changed in a run",
       {base, limit},
       v1::Report::descriptor(),
       {},
       AnswerComparison},
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
       "A function's counts and times from run to run",
       {{"name", "linkage or demangled name, or a part that no other has"}, target, branch, limit},
       v1::GetTrendResponse::descriptor(),
       {},
       AnswerTrend},
      {"/projects/{project}/changes",
       "Where a branch's counts and times changed for good",
       {branch, {"configuration", "without it, that of the newest run"}, target, limit},
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

// Whether the segments behind /api/v1 are the route's; then the call has them.
bool Matches(const Route& route, const PageRequest& request, Call& call) {
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

PageAnswer JsonAnswer(std::string json) {
  PageAnswer answer;
  answer.type = kJsonType;
  answer.body = std::move(json);
  return answer;
}

absl::StatusOr<std::string> ProjectsJson(const PageSources& sources, const Visits& visits,
                                         const Visitor& visitor) {
  absl::StatusOr<std::vector<std::string>> all =
      sources.store.reading.ListProjects(kListedProjects);
  if (!all.ok()) return all.status();
  return Json{{"projects", visits.Readable(visitor, *std::move(all))}}.dump();
}

// Error codes as gRPC spells them, in small letters: "not_found".
std::string CodeName(absl::StatusCode code) {
  return absl::AsciiStrToLower(absl::StatusCodeToString(code));
}

}  // namespace

PageAnswer ErrorJson(const absl::Status& status) {
  PageAnswer answer =
      JsonAnswer(Json{{"error",
                       {{"code", CodeName(status.code())},
                        {"message", CodeOf(status) == 500 ? "the server's log says more"
                                                          : base::PublicMessageOf(status)}}}}
                     .dump(-1, ' ', true, Json::error_handler_t::replace));
  answer.code = CodeOf(status);
  return answer;
}

PageAnswer AnswerApi(const PageSources& sources, Visits& visits, const PageRequest& request) {
  if (request.Is({"api", "v1", "openapi.json"})) return JsonAnswer(OpenApiJson());
  const absl::StatusOr<Visitor> visitor = visits.Identify(request);
  if (!visitor.ok()) return ErrorJson(visitor.status());
  if (request.is_post) {
    return ErrorJson(absl::InvalidArgumentError("/api/v1 only answers GET"));
  }
  if (request.Is({"api", "v1", "projects"})) {
    absl::StatusOr<std::string> json = ProjectsJson(sources, visits, *visitor);
    return json.ok() ? JsonAnswer(*std::move(json)) : ErrorJson(json.status());
  }
  for (const Route& route : Routes()) {
    Call call = {sources, request, "", "", ""};
    if (request.path.size() < 2 || request.path[1] != "v1" || !Matches(route, request, call)) {
      continue;
    }
    if (absl::Status status = visits.Permit(*visitor, call.project, collector::Scope::kRead);
        !status.ok()) {
      return ErrorJson(status);
    }
    absl::StatusOr<std::string> json = route.answer(call);
    return json.ok() ? JsonAnswer(*std::move(json)) : ErrorJson(json.status());
  }
  return ErrorJson(absl::NotFoundError(
      absl::StrCat("there is no ", request.target, "; /api/v1/openapi.json lists what there is")));
}

std::string OpenApiJson() {
  Json schemas = Json::object();
  schemas["StackNode"] = ObjectSchema(
      {{"name", {{"type", "string"}}},
       {"value", {{"type", "number"}}},
       {"before", {{"type", "number"}}},
       {"delta", {{"type", "number"}}},
       {"children", {{"type", "array"}, {"items", {{"$ref", "#/components/schemas/StackNode"}}}}}});
  schemas["Error"] = ObjectSchema({{"error", ObjectSchema({{"code", {{"type", "string"}}},
                                                           {"message", {{"type", "string"}}}})}});
  const auto content = [](Json schema) {
    return Json{{kJsonType, {{"schema", std::move(schema)}}}};
  };
  const Json failure = {{"description", "what is wrong, and what to do"},
                        {"content", content({{"$ref", "#/components/schemas/Error"}})}};
  const auto operation = [&](const std::string& about, Json parameters, Json schema) {
    return Json{{"get",
                 {{"summary", about},
                  {"parameters", std::move(parameters)},
                  {"responses",
                   {{"200", {{"description", about}, {"content", content(std::move(schema))}}},
                    {"default", failure}}}}}};
  };
  Json paths = Json::object();
  paths["/projects"] =
      operation("The projects that the caller may read", Json::array(),
                ObjectSchema({{"projects", {{"type", "array"}, {"items", {{"type", "string"}}}}}}));
  for (const Route& route : Routes()) {
    Json parameters = Json::array();
    for (const std::string segment : {"project", "run", "finding"}) {
      if (!absl::StrContains(route.path, absl::StrCat("{", segment, "}"))) continue;
      parameters.push_back({{"name", segment},
                            {"in", "path"},
                            {"required", true},
                            {"schema", {{"type", "string"}}}});
    }
    for (const Parameter& parameter : route.parameters) {
      parameters.push_back({{"name", parameter.name},
                            {"in", "query"},
                            {"description", parameter.about},
                            {"schema", {{"type", parameter.is_number ? "integer" : "string"}}}});
    }
    Json schema = route.message != nullptr ? SchemaOf(*route.message, schemas) : route.schema;
    paths[route.path] = operation(route.about, std::move(parameters), std::move(schema));
  }
  const Json api = {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "gprofhub"},
        {"version", "1"},
        {"description", "The query service as JSON. Numbers of 64 bits are strings."}}},
      {"servers", {{{"url", "/api/v1"}}}},
      {"security", Json::array({Json::object({{"token", Json::array()}}), Json::object()})},
      {"paths", paths},
      {"components",
       {{"schemas", schemas},
        {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
  return api.dump(1);
}

}  // namespace gprofhub::cli
