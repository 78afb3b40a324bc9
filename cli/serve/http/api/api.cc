#include "cli/serve/http/api/api.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/public_message.h"
#include "cli/serve/http/api/api_schema.h"
#include "cli/serve/http/api/routes.h"

namespace gprofhub::cli {
namespace {

using Json = nlohmann::ordered_json;

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
  absl::StatusOr<std::vector<std::string>> all =
      sources.store.reading.ListProjects(kListedProjects);
  if (!all.ok()) return all.status();
  return Json{{"projects", visits.Readable(visitor, *std::move(all))}}.dump();
}

// gRPC's names of error codes in lower case: "not_found".
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
  const auto content = [](const Json& schema, const std::vector<std::string>& types) {
    Json content = Json::object();
    for (const std::string& type : types) content[type] = {{"schema", schema}};
    return content;
  };
  const Json failure = {
      {"description", "what is wrong, and what to do"},
      {"content", content({{"$ref", "#/components/schemas/Error"}}, {kJsonType})}};
  const auto operation = [&](const std::string& about, Json parameters, const Json& schema,
                             const std::vector<std::string>& types) {
    return Json{{"get",
                 {{"summary", about},
                  {"parameters", std::move(parameters)},
                  {"responses",
                   {{"200", {{"description", about}, {"content", content(schema, types)}}},
                    {"default", failure}}}}}};
  };
  Json paths = Json::object();
  paths["/projects"] =
      operation("The projects that the caller may read", Json::array(),
                ObjectSchema({{"projects", {{"type", "array"}, {"items", {{"type", "string"}}}}}}),
                {kJsonType});
  for (const ApiRoute& route : ApiRoutes()) {
    Json parameters = Json::array();
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
    const Json schema = route.message != nullptr ? SchemaOf(*route.message, schemas) : route.schema;
    paths[route.path] = operation(route.about, std::move(parameters), schema, route.types);
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
