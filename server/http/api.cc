#include "server/http/api.h"

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "analyzer/exports/exports.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "page/call_graph.h"
#include "page/views/finding_parts.h"
#include "page/views/target.h"
#include "proto/query.pb.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/queries/gate.h"
#include "reporter/queries/runs.h"
#include "reporter/queries/trends.h"
#include "reporter/rendering/function_rows.h"
#include "reporter/rendering/headline.h"
#include "reporter/rendering/json.h"
#include "reporter/rendering/trend.h"
#include "server/http/page_request.h"
#include "server/http/target_data.h"
#include "server/texts/served_listing.h"

namespace gprofhub::server {

namespace {

// gprof's listings, and profiles for other programs.

ApiRoute ListingRoute();

constexpr char kText[] = "text/plain; charset=utf-8";

struct NamedKind {
  absl::string_view name;
  v1::GetListingRequest::Kind kind;
};
constexpr std::array<NamedKind, 4> kKinds = {{{"flat", v1::GetListingRequest::FLAT},
                                              {"graph", v1::GetListingRequest::CALL_GRAPH},
                                              {"source", v1::GetListingRequest::ANNOTATED_SOURCE},
                                              {"counts", v1::GetListingRequest::EXECUTION_COUNTS}}};

// A missing name means no listing, which suffices for a format.
absl::StatusOr<v1::GetListingRequest::Kind> KindOf(const ApiCall& call) {
  const std::string& name = call.Query("kind");
  if (name.empty()) {
    return call.Query("format").empty() ? v1::GetListingRequest::FLAT
                                        : v1::GetListingRequest::KIND_UNSPECIFIED;
  }
  for (const NamedKind& one : kKinds) {
    if (one.name == name) return one.kind;
  }
  return absl::InvalidArgumentError("kind: must be flat, graph, source or counts");
}

absl::StatusOr<bool> Switch(const ApiCall& call, const std::string& name) {
  ASSIGN_OR_RETURN(const uint32_t number, call.request.Number(name, 1));
  return number == 1;
}

absl::StatusOr<ApiText> AnswerListing(const ApiCall& call) {
  v1::GetListingRequest request;
  request.set_project(call.project);
  request.set_run(call.run);
  request.set_target(call.Query("target"));
  request.set_format(call.Query("format"));
  request.set_image(call.Query("image"));
  ASSIGN_OR_RETURN(const v1::GetListingRequest::Kind kind, KindOf(call));
  request.set_kind(kind);
  if (kind == v1::GetListingRequest::ANNOTATED_SOURCE && !call.may_read_source) {
    return absl::NotFoundError(kSourceIsClosed);
  }
  for (const auto& [name, set] : {std::pair("lines", &v1::GetListingRequest::set_by_line),
                                  std::pair("all_lines", &v1::GetListingRequest::set_all_lines),
                                  std::pair("brief", &v1::GetListingRequest::set_brief)}) {
    ASSIGN_OR_RETURN(const bool is_on, Switch(call, name));
    (request.*set)(is_on);
  }
  std::string type = kText;
  if (!request.format().empty()) {
    ASSIGN_OR_RETURN(const analyzer::ExportFormat format,
                     analyzer::FindFormat(analyzer::DownloadFormats(), request.format()));
    type = std::string(format.media_type);
  }
  ASSIGN_OR_RETURN(std::string text, ListingText(call.store().reading, call.store().blobs,
                                                 call.sources.read_source, request));
  return ApiText(std::move(text), std::move(type));
}

ApiRoute ListingRoute() {
  ApiRoute route = {
      "/projects/{project}/runs/{run}/listing",
      "gprof's listing of a target, or its profile in a format of other programs",
      {{"target", "the target's label; required if the run has several targets"},
       {"kind",
        "flat (-p, the default), graph (-q), source (-A: annotated source that the server can "
        "read) or counts (-C)"},
       {"lines", "1: by line instead of by function (-l)", true},
       {"all_lines", "1: in source, show a block's count on each of its lines (-x)", true},
       {"brief", "1: without the explanations (-b)", true},
       {"format", absl::StrCat("instead of text: ",
                               absl::StrJoin(analyzer::NamesOf(analyzer::DownloadFormats()), ", "),
                               "; json also contains what `kind` source or counts list")},
       {"image", "with a format: the build-id; required if the target has several images"}},
      nullptr,
      {{"type", "string"}},
      AnswerListing,
  };
  std::set<std::string> types = {kText};
  for (const analyzer::ExportFormat& format : analyzer::DownloadFormats()) {
    types.emplace(format.media_type);
  }
  route.types.assign(types.begin(), types.end());
  return route;
}

// Routes of /api/v1.

const std::vector<ApiRoute>& ApiRoutes();

// Whether the segments behind /api/v1 are the route's; then the call has them.
bool Matches(const ApiRoute& route, const PageRequest& request, ApiCall& call);

using OrderedJson = nlohmann::ordered_json;

constexpr uint32_t kMostRuns = 1000;
constexpr uint32_t kMostFindings = 1'000'000;
constexpr uint32_t kMostChangeRuns = 500;
constexpr uint32_t kMostChanges = 1'000'000;
constexpr uint32_t kMostNodes = 200;
constexpr uint32_t kDefaultNodes = 50;

// The schema of an object with these properties.
OrderedJson ObjectSchema(OrderedJson properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

template <typename Message>
absl::StatusOr<ApiText> JsonOf(const absl::StatusOr<Message>& message) {
  if (!message.ok()) return message.status();
  return reporter::RenderJson(*message);
}

template <typename Request>
Request RequestFor(const ApiCall& call) {
  Request request;
  request.set_project(call.project);
  return request;
}

absl::StatusOr<ApiText> AnswerRuns(const ApiCall& call) {
  ASSIGN_OR_RETURN(const uint32_t limit, call.request.Number("limit", kMostRuns));
  ASSIGN_OR_RETURN(const uint32_t windows, call.request.Number("windows", 1));
  auto request = RequestFor<v1::ListRunsRequest>(call);
  request.set_windows(windows == 1);
  request.set_branch(call.Query("branch"));
  request.set_commit(call.Query("commit"));
  request.set_pull_request(call.Query("pull_request"));
  request.set_limit(limit);
  return JsonOf(reporter::ListRuns(call.store().reading, request));
}

absl::StatusOr<ApiText> AnswerRun(const ApiCall& call) {
  auto request = RequestFor<v1::GetRunRequest>(call);
  request.set_run(call.run);
  ASSIGN_OR_RETURN(const uint32_t executions, call.request.Number("executions", 1));
  request.set_with_executions(executions == 1);
  return JsonOf(reporter::GetRun(call.store().reading, request));
}

absl::StatusOr<ApiText> AnswerComparison(const ApiCall& call) {
  ASSIGN_OR_RETURN(const uint32_t limit, call.request.Number("limit", kMostFindings));
  auto request = RequestFor<v1::CompareRequest>(call);
  request.set_head(call.run);
  request.set_base(call.Query("base"));
  request.set_all_times(true);
  ASSIGN_OR_RETURN(v1::Report report,
                   reporter::CompareRuns(call.store().reading, call.store().blobs, request,
                                         &call.store().memory->queries));
  if (limit > 0) reporter::LimitFindings(limit, report);
  return JsonOf<v1::Report>(std::move(report));
}

absl::StatusOr<ApiText> AnswerVerdict(const ApiCall& call) {
  auto request = RequestFor<v1::CompareRequest>(call);
  request.set_head(call.run);
  request.set_base(call.Query("base"));
  ASSIGN_OR_RETURN(const v1::Report report,
                   reporter::CompareRuns(call.store().reading, call.store().blobs, request,
                                         &call.store().memory->queries));
  const page::Overall overall = page::OverallOf(reporter::GroupByFunction(report));
  return OrderedJson{
      {"kind", overall.kind}, {"words", overall.words}, {"headline", reporter::Headline(report)}}
      .dump(-1, ' ', /*ensure_ascii=*/true, OrderedJson::error_handler_t::replace);
}

absl::StatusOr<ApiText> AnswerFinding(const ApiCall& call) {
  auto request = RequestFor<v1::ExplainRequest>(call);
  request.set_finding(call.finding);
  request.set_head(call.run);
  request.set_base(call.Query("base"));
  return JsonOf(reporter::ExplainFinding(call.store().reading, call.store().blobs, request));
}

absl::StatusOr<ApiText> AnswerTrend(const ApiCall& call) {
  ASSIGN_OR_RETURN(const uint32_t limit, call.request.Number("limit", kMostTrendRuns));
  auto request = RequestFor<v1::GetTrendRequest>(call);
  request.set_function(call.Query("name"));
  request.set_target(call.Query("target"));
  request.set_branch(call.Query("branch"));
  request.set_configuration(call.Query("configuration"));
  ASSIGN_OR_RETURN(const v1::TrendBy by, reporter::TrendByOf(call.Query("by")));
  request.set_by(by);
  request.set_limit(limit);
  return JsonOf(reporter::GetTrend(call.store().reading, call.store().blobs, request,
                                   &call.store().memory->queries));
}

absl::StatusOr<ApiText> AnswerChanges(const ApiCall& call) {
  ASSIGN_OR_RETURN(const uint32_t runs, call.request.Number("runs", kMostChangeRuns));
  ASSIGN_OR_RETURN(const uint32_t limit, call.request.Number("limit", kMostChanges));
  auto request = RequestFor<v1::GetChangesRequest>(call);
  request.set_branch(call.Query("branch"));
  request.set_configuration(call.Query("configuration"));
  request.set_target(call.Query("target"));
  request.set_runs(runs);
  request.set_limit(limit);
  ASSIGN_OR_RETURN(v1::GetChangesResponse changes,
                   reporter::GetChanges(call.store().reading, call.store().blobs, request));
  RETURN_IF_ERROR(
      reporter::AddCulprits(call.store().reading, call.store().gate, call.project, changes));
  return reporter::RenderJson(changes);
}

absl::StatusOr<ApiText> AnswerGate(const ApiCall& call) {
  return JsonOf(reporter::GetGateStats(call.store().reading, call.store().gate,
                                       RequestFor<v1::GetGateStatsRequest>(call)));
}

absl::StatusOr<ApiText> AnswerAcknowledgements(const ApiCall& call) {
  return JsonOf(reporter::ListAcknowledgements(call.store().gate,
                                               RequestFor<v1::ListAcknowledgementsRequest>(call)));
}

absl::StatusOr<TargetOfRun> TargetOf(const ApiCall& call) {
  return FindTargetOfRun(call.store(), call.project, call.run, call.Query("target"));
}

absl::StatusOr<ApiText> AnswerGraph(const ApiCall& call) {
  ASSIGN_OR_RETURN(const uint32_t nodes, call.request.Number("nodes", kMostNodes));
  ASSIGN_OR_RETURN(const TargetOfRun target, TargetOf(call));
  ASSIGN_OR_RETURN(const KeptProfile profile, ReadComputed(call.store(), target));
  return page::DrawnGraphJson(page::HottestGraph(*profile, nodes == 0 ? kDefaultNodes : nodes));
}

absl::StatusOr<ApiText> AnswerStacks(const ApiCall& call) {
  ASSIGN_OR_RETURN(const TargetOfRun target, TargetOf(call));
  std::optional<TargetOfRun> base;
  if (!call.Query("base").empty()) {
    ASSIGN_OR_RETURN(TargetOfRun found, FindTargetOfRun(call.store(), call.project,
                                                        call.Query("base"), target.target.label));
    base = std::move(found);
  }
  ASSIGN_OR_RETURN(const auto flame,
                   ReadFlameGraph(call.store(), target, base.has_value() ? &*base : nullptr));
  return absl::StrCat("{\"measured\":", flame->is_measured ? "true" : "false",
                      ",\"unit\":", 1e6 * flame->repetitions, ",\"root\":", flame->json, "}");
}

const std::vector<ApiRoute>& ApiRoutes() {
  const ApiParameter base = {"base", "the run to compare with (default: the baseline)"};
  const ApiParameter target = {"target",
                               "the target's label; required if the run has several targets"};
  const ApiParameter limit = {"limit", "maximum number of entries, newest first", true};
  const ApiParameter branch = {"branch", "only of this branch"};
  const OrderedJson number = {{"type", "number"}}, text = {{"type", "string"}};
  static const auto* const routes = new std::vector<ApiRoute>{
      {"/projects/{project}/runs",
       "Runs, newest first",
       {branch,
        {"commit", "the commit hash or a prefix of it"},
        {"pull_request", "number of the pull request"},
        {"windows", "1: windows of running programs instead", true},
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
       "Summary of what changed in a run",
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
       {target, {"nodes", "number of functions, at most 200", true}},
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
       {{"name", "linkage name, demangled name, or a unique part of it"},
        target,
        branch,
        {"configuration", "for days and weeks (default: that of the newest run)"},
        {"by", "run (default), day or week"},
        limit},
       v1::GetTrendResponse::descriptor(),
       {},
       AnswerTrend},
      {"/projects/{project}/changes",
       "Permanent changes of a branch's counts and times",
       {branch,
        {"configuration", "default: that of the newest run"},
        target,
        {"runs", "number of newest runs to analyse", true},
        limit},
       v1::GetChangesResponse::descriptor(),
       {},
       AnswerChanges},
      {"/projects/{project}/gate",
       "False alarms of each rule of the gate",
       {},
       v1::GetGateStatsResponse::descriptor(),
       {},
       AnswerGate},
      {"/projects/{project}/acknowledgements",
       "Acknowledgements of changes",
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

constexpr char kJsonType[] = "application/json";
constexpr uint32_t kMostProjects = 1000;

PageAnswer JsonAnswer(std::string json) {
  PageAnswer answer;
  answer.type = kJsonType;
  answer.body = std::move(json);
  return answer;
}

absl::StatusOr<std::string> ProjectsJson(const PageSources& sources, const Visits& visits,
                                         const Visitor& visitor) {
  ASSIGN_OR_RETURN(std::vector<std::string> all, sources.store.reading.ListProjects(kMostProjects));
  return OrderedJson{{"projects", visits.Readable(visitor, std::move(all))}}.dump();
}

// gRPC's names of error codes in lower case: "not_found".
std::string CodeName(absl::StatusCode code) {
  return absl::AsciiStrToLower(absl::StatusCodeToString(code));
}

}  // namespace

PageAnswer ErrorJson(const absl::Status& status) {
  PageAnswer answer = JsonAnswer(
      OrderedJson{{"error",
                   {{"code", CodeName(status.code())},
                    {"message", CodeOf(status) == 500 ? "internal error; see the server's log"
                                                      : base::PublicMessageOf(status)}}}}
          .dump(-1, ' ', true, OrderedJson::error_handler_t::replace));
  answer.code = CodeOf(status);
  return answer;
}

PageAnswer AnswerApi(const PageSources& sources, Visits& visits, const PageRequest& request) {
  if (request.Is({"api", "v1", "openapi.json"})) return JsonAnswer(OpenApiJson());
  const absl::StatusOr<Visitor> visitor = visits.Identify(request);
  if (!visitor.ok()) return ErrorJson(visitor.status());
  if (request.is_post) {
    return ErrorJson(absl::InvalidArgumentError("/api/v1 accepts GET only"));
  }
  if (request.Is({"api", "v1", "projects"})) {
    absl::StatusOr<std::string> json = ProjectsJson(sources, visits, *visitor);
    return json.ok() ? JsonAnswer(*std::move(json)) : ErrorJson(json.status());
  }
  for (const ApiRoute& route : ApiRoutes()) {
    ApiCall call = {sources, request, "", "", "", false};
    if (request.path.size() < 2 || request.path[1] != "v1" || !Matches(route, request, call)) {
      continue;
    }
    if (absl::Status status = visits.Permit(*visitor, call.project, collector::Scope::kRead);
        !status.ok()) {
      return ErrorJson(status);
    }
    call.may_read_source = visits.PermitSource(*visitor, call.project).ok();
    absl::StatusOr<ApiText> text = route.answer(call);
    if (!text.ok()) return ErrorJson(text.status());
    PageAnswer answer;
    answer.type = std::move(text->type);
    answer.body = std::move(text->body);
    return answer;
  }
  return ErrorJson(absl::NotFoundError(absl::StrCat(
      "not found: ", request.target, "; see /api/v1/openapi.json for the available paths")));
}

std::string OpenApiJson() {
  OrderedJson schemas = OrderedJson::object();
  schemas["StackNode"] = ObjectSchema(
      {{"name", {{"type", "string"}}},
       {"value", {{"type", "number"}}},
       {"before", {{"type", "number"}}},
       {"delta", {{"type", "number"}}},
       {"children", {{"type", "array"}, {"items", {{"$ref", "#/components/schemas/StackNode"}}}}}});
  schemas["Error"] = ObjectSchema({{"error", ObjectSchema({{"code", {{"type", "string"}}},
                                                           {"message", {{"type", "string"}}}})}});
  const auto content = [](const OrderedJson& schema, const std::vector<std::string>& types) {
    OrderedJson content = OrderedJson::object();
    for (const std::string& type : types) content[type] = {{"schema", schema}};
    return content;
  };
  const OrderedJson failure = {
      {"description", "the error, and what to do"},
      {"content", content({{"$ref", "#/components/schemas/Error"}}, {kJsonType})}};
  const auto operation = [&](const std::string& about, OrderedJson parameters,
                             const OrderedJson& schema, const std::vector<std::string>& types) {
    return OrderedJson{{"get",
                        {{"summary", about},
                         {"parameters", std::move(parameters)},
                         {"responses",
                          {{"200", {{"description", about}, {"content", content(schema, types)}}},
                           {"default", failure}}}}}};
  };
  OrderedJson paths = OrderedJson::object();
  paths["/projects"] =
      operation("The projects that the caller may read", OrderedJson::array(),
                ObjectSchema({{"projects", {{"type", "array"}, {"items", {{"type", "string"}}}}}}),
                {kJsonType});
  for (const ApiRoute& route : ApiRoutes()) {
    OrderedJson parameters = OrderedJson::array();
    for (const std::string segment : {"project", "run", "finding"}) {
      if (!absl::StrContains(route.path, absl::StrCat("{", segment, "}"))) continue;
      parameters.push_back({{"name", segment},
                            {"in", "path"},
                            {"required", true},
                            {"schema", {{"type", "string"}}}});
    }
    for (const ApiParameter& parameter : route.parameters) {
      parameters.push_back({{"name", parameter.name},
                            {"in", "query"},
                            {"description", parameter.about},
                            {"schema", {{"type", parameter.is_number ? "integer" : "string"}}}});
    }
    const OrderedJson schema =
        route.message != nullptr ? reporter::MessageSchema(*route.message, schemas) : route.schema;
    paths[route.path] = operation(route.about, std::move(parameters), schema, route.types);
  }
  const OrderedJson api = {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "gprofhub"}, {"version", "1"}, {"description", "The query service as JSON"}}},
      {"servers", {{{"url", "/api/v1"}}}},
      {"security", OrderedJson::array({OrderedJson::object({{"token", OrderedJson::array()}}),
                                       OrderedJson::object()})},
      {"paths", paths},
      {"components",
       {{"schemas", schemas},
        {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
  return api.dump(1);
}

}  // namespace gprofhub::server
