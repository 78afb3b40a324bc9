#include "server/http/api.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "analyzer/exports/exports.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "page/call_graph.h"
#include "page/views/finding_parts.h"
#include "page/views/target.h"
#include "proto/query.pb.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/rendering/headline.h"
#include "reporter/rendering/json.h"
#include "reporter/rendering/test_summary.h"
#include "server/http/api_schema.h"
#include "server/http/page_request.h"
#include "server/http/search.h"
#include "server/http/target_data.h"
#include "server/queries/query_methods.h"
#include "server/queries/served_listing.h"

namespace gprofhub::server {

namespace {

// One address of /api/v1.

// One request, with the segments that its route names.
struct ApiCall {
  const PageSources& sources;
  const PageRequest& request;
  std::map<std::string, std::string> segments;
  bool may_read_source = false;
  std::string path_prefix = {};

  const PageStore& store() const { return sources.store; }
  const std::string& project() const { return segments.at("project"); }
  const std::string& run() const { return segments.at("run"); }
  const std::string& Query(const std::string& name) const { return request.Query(name); }
};

struct ApiText {
  ApiText(std::string json) : body(std::move(json)) {}  // NOLINT: most answers are JSON
  ApiText(std::string text, std::string of_type)
      : body(std::move(text)), type(std::move(of_type)) {}

  std::string body;
  std::string type = "application/json";
};

using OrderedJson = nlohmann::ordered_json;

struct ApiParameter {
  std::string name, about;
  OrderedJson schema = {{"type", "string"}};
};

struct ApiRoute {
  std::string path;  // below /api/v1; "{name}" is any segment
  std::string about;
  std::vector<ApiParameter> parameters;         // of the query
  const google::protobuf::Descriptor* message;  // of the answer; null: `schema` has it
  OrderedJson schema;
  // For a caller who may read the project. Errors are the query's.
  std::function<absl::StatusOr<ApiText>(const ApiCall& call)> answer;
  // For responses other than JSON.
  std::vector<std::string> types = {"application/json"};
};

// gprof's listings, and profiles for other programs.

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
  request.set_project(call.project());
  request.set_run(call.run());
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
  const OrderedJson number = {{"type", "integer"}};
  ApiRoute route = {
      "/projects/{project}/runs/{run}/listing",
      "gprof's listing of a target, or its profile in a format of other programs",
      {{"target", "the target's label; required if the run has several targets"},
       {"kind",
        "flat (-p, the default), graph (-q), source (-A: annotated source that the server can "
        "read) or counts (-C)"},
       {"lines", "1: by line instead of by function (-l)", number},
       {"all_lines", "1: in source, show a block's count on each of its lines (-x)", number},
       {"brief", "1: without the explanations (-b)", number},
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

constexpr uint32_t kMostNodes = 200;
constexpr uint32_t kDefaultNodes = 50;
constexpr uint32_t kMostHits = 50;
constexpr uint32_t kDefaultHits = 5;

// The route of a method of the query service.
ApiRoute RouteOf(const QueryMethod& method) {
  const google::protobuf::Descriptor& fields = *method.request->GetDescriptor();
  ApiRoute route;
  route.path = method.http.path;
  route.about = method.http.about;
  route.message = method.response->GetDescriptor();
  for (const HttpRoute::Parameter& parameter : method.http.parameters) {
    route.parameters.push_back({parameter.field, parameter.about,
                                SchemaOfParameter(*fields.FindFieldByName(parameter.field))});
  }
  route.answer = [&method, &fields](const ApiCall& call) -> absl::StatusOr<ApiText> {
    const std::unique_ptr<google::protobuf::Message> request(method.request->New());
    for (const auto& [name, text] : call.segments) {
      RETURN_IF_ERROR(SetField(*fields.FindFieldByName(name), text, 0, *request));
    }
    for (const HttpRoute::Parameter& parameter : method.http.parameters) {
      RETURN_IF_ERROR(SetField(*fields.FindFieldByName(parameter.field),
                               call.Query(parameter.field), parameter.most, *request));
    }
    const PageStore& store = call.store();
    ASSIGN_OR_RETURN(
        const std::unique_ptr<google::protobuf::Message> response,
        method.answer({store.reading, store.blobs, store.gate, call.sources.read_source,
                       /*comparison_url=*/"", &store.memory->queries},
                      collector::Caller(), *request));
    return reporter::RenderJson(*response);
  };
  return route;
}

absl::StatusOr<ApiText> AnswerVerdict(const ApiCall& call) {
  v1::CompareRequest request;
  request.set_project(call.project());
  request.set_head(call.run());
  request.set_base(call.Query("base"));
  ASSIGN_OR_RETURN(const v1::Report report,
                   reporter::CompareRuns(call.store().reading, call.store().blobs, request,
                                         &call.store().memory->queries));
  const page::Overall overall = page::OverallOf(report, reporter::SummarizeTests(report));
  return OrderedJson{
      {"kind", overall.kind}, {"words", overall.words}, {"headline", reporter::Headline(report)}}
      .dump(-1, ' ', /*ensure_ascii=*/true, OrderedJson::error_handler_t::replace);
}

absl::StatusOr<ApiText> AnswerSearch(const ApiCall& call) {
  ASSIGN_OR_RETURN(const uint32_t limit, call.request.Number("limit", kMostHits));
  ASSIGN_OR_RETURN(
      const std::vector<page::SearchGroup> groups,
      Search(call.store(), call.project(), call.Query("q"), limit == 0 ? kDefaultHits : limit));
  return page::SearchJson(groups, call.path_prefix);
}

absl::StatusOr<TargetOfRun> TargetOf(const ApiCall& call) {
  return FindTargetOfRun(call.store(), call.project(), call.run(), call.Query("target"));
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
    ASSIGN_OR_RETURN(TargetOfRun found, FindTargetOfRun(call.store(), call.project(),
                                                        call.Query("base"), target.target.label));
    base = std::move(found);
  }
  ASSIGN_OR_RETURN(const auto flame,
                   ReadFlameGraph(call.store(), target, base.has_value() ? &*base : nullptr));
  return absl::StrCat("{\"measured\":", flame->is_measured ? "true" : "false",
                      ",\"unit\":", 1e6 * flame->repetitions, ",\"root\":", flame->json, "}");
}

std::vector<ApiRoute> MakeRoutes() {
  const ApiParameter base = {"base", "the run to compare with (default: the baseline)"};
  const ApiParameter target = {"target",
                               "the target's label; required if the run has several targets"};
  const OrderedJson number = {{"type", "number"}}, text = {{"type", "string"}};
  std::vector<ApiRoute> routes = {
      {"/projects/{project}/runs/{run}/verdict",
       "Summary of what changed in a run",
       {base},
       nullptr,
       ObjectSchema({{"kind", text}, {"words", text}, {"headline", text}}),
       AnswerVerdict},
      {"/projects/{project}/search",
       "Functions and targets of the latest run, runs, commits, pull requests and branches",
       {{"q", absl::StrCat("a part of a name, at most ", kMostSearchBytes, " bytes")},
        {"limit", "hits of each kind, at most 50", {{"type", "integer"}}}},
       nullptr,
       ObjectSchema({{"groups",
                      {{"type", "array"},
                       {"items", ObjectSchema({{"title", text},
                                               {"more", {{"type", "boolean"}}},
                                               {"hits",
                                                {{"type", "array"},
                                                 {"items", ObjectSchema({{"text", text},
                                                                         {"about", text},
                                                                         {"url", text}})}}}})}}}}),
       AnswerSearch},
      {"/projects/{project}/runs/{run}/graph",
       "The hottest functions and the calls among them",
       {target, {"nodes", "number of functions, at most 200", {{"type", "integer"}}}},
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
  };
  for (const QueryMethod& method : QueryTable()) {
    if (!method.http.path.empty()) routes.push_back(RouteOf(method));
  }
  return routes;
}

const std::vector<ApiRoute>& ApiRoutes() {
  static const auto* const routes = new std::vector<ApiRoute>(MakeRoutes());
  return *routes;
}

// The name in "{name}"; empty: not such a segment.
absl::string_view SegmentName(absl::string_view segment) {
  return absl::ConsumePrefix(&segment, "{") && absl::ConsumeSuffix(&segment, "}")
             ? segment
             : absl::string_view();
}

// The named segments of a request for the route, if its path is the route's.
std::optional<std::map<std::string, std::string>> SegmentsOf(const ApiRoute& route,
                                                             const PageRequest& request) {
  const std::vector<std::string> pattern = absl::StrSplit(route.path, '/', absl::SkipEmpty());
  if (request.path.size() != pattern.size() + 2 || request.path[1] != "v1") return std::nullopt;
  std::map<std::string, std::string> segments;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const std::string& segment = request.path[i + 2];
    if (const absl::string_view name = SegmentName(pattern[i]); !name.empty()) {
      segments.emplace(name, segment);
    } else if (pattern[i] != segment) {
      return std::nullopt;
    }
  }
  return segments;
}

constexpr char kJsonType[] = "application/json";
constexpr uint32_t kListedProjects = 1000;

PageAnswer JsonAnswer(std::string json) {
  PageAnswer answer;
  answer.type = kJsonType;
  answer.body = std::move(json);
  return answer;
}

absl::StatusOr<std::string> ProjectsJson(const PageSources& sources, const Visits& visits,
                                         const Visitor& visitor) {
  ASSIGN_OR_RETURN(std::vector<std::string> all,
                   sources.store.reading.ListProjects(kListedProjects));
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
  if (request.Is({"api", "v1", "openapi.json"})) {
    return JsonAnswer(OpenApiJson(visits.path_prefix()));
  }
  const absl::StatusOr<Visitor> visitor = visits.Identify(request);
  if (!visitor.ok()) return ErrorJson(visitor.status());
  if (request.is_post) {
    PageAnswer answer = ErrorJson(absl::InvalidArgumentError("/api/v1 accepts GET only"));
    answer.code = 405;
    return answer;
  }
  if (request.Is({"api", "v1", "projects"})) {
    absl::StatusOr<std::string> json = ProjectsJson(sources, visits, *visitor);
    return json.ok() ? JsonAnswer(*std::move(json)) : ErrorJson(json.status());
  }
  for (const ApiRoute& route : ApiRoutes()) {
    std::optional<std::map<std::string, std::string>> segments = SegmentsOf(route, request);
    if (!segments.has_value()) continue;
    ApiCall call = {sources, request, *std::move(segments)};
    absl::Status status = visits.Permit(*visitor, call.project(), collector::Scope::kRead);
    if (status.ok()) status = CheckProject(sources.store, call.project());
    if (!status.ok()) return ErrorJson(status);
    call.path_prefix = visits.path_prefix();
    call.may_read_source = visits.PermitSource(*visitor, call.project()).ok();
    absl::StatusOr<ApiText> text = route.answer(call);
    if (!text.ok()) return ErrorJson(text.status());
    PageAnswer answer;
    answer.type = std::move(text->type);
    answer.body = std::move(text->body);
    return answer;
  }
  return ErrorJson(absl::NotFoundError(
      absl::StrCat("not found: ", visits.path_prefix(), request.target, "; see ",
                   page::ApiUrl().text(visits.path_prefix()), " for the available paths")));
}

std::string OpenApiJson(absl::string_view path_prefix) {
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
    for (const absl::string_view segment : absl::StrSplit(route.path, '/')) {
      const absl::string_view name = SegmentName(segment);
      if (name.empty()) continue;
      parameters.push_back(
          {{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
    }
    for (const ApiParameter& parameter : route.parameters) {
      parameters.push_back({{"name", parameter.name},
                            {"in", "query"},
                            {"description", parameter.about},
                            {"schema", parameter.schema}});
    }
    const OrderedJson schema =
        route.message != nullptr ? reporter::MessageSchema(*route.message, schemas) : route.schema;
    paths[route.path] = operation(route.about, std::move(parameters), schema, route.types);
  }
  const OrderedJson api = {
      {"openapi", "3.1.0"},
      {"info",
       {{"title", "gprofhub"}, {"version", "1"}, {"description", "The query service as JSON"}}},
      {"servers", {{{"url", page::Url::Path({"api", "v1"}).text(path_prefix)}}}},
      {"security", OrderedJson::array({OrderedJson::object({{"token", OrderedJson::array()}}),
                                       OrderedJson::object()})},
      {"paths", paths},
      {"components",
       {{"schemas", schemas},
        {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
  return api.dump(1);
}

}  // namespace gprofhub::server
