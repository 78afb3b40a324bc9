// JSON under /api/v1: the query service's responses, from the same functions.
#pragma once

#include <google/protobuf/descriptor.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "server/http/page_request.h"
#include "server/http/visits.h"

namespace gprofhub::server {

// GET only. Answers are the messages of proto/query.proto in the form of reporter/rendering/json.h,
// as the commands print them; errors are {"error": {"code", "message"}}.
PageAnswer AnswerApi(const PageSources& sources, Visits& visits, const PageRequest& request);

PageAnswer ErrorJson(const absl::Status& status);

// The OpenAPI 3.1 description of /api/v1.
std::string OpenApiJson();

// One address of /api/v1.

// One request, with the segments that its route names.
struct ApiCall {
  const PageSources& sources;
  const PageRequest& request;
  std::string project, run, finding;
  bool may_read_source = false;

  const PageStore& store() const { return sources.store; }
  const std::string& Query(const std::string& name) const { return request.Query(name); }
};

struct ApiText {
  ApiText(std::string json) : body(std::move(json)) {}  // NOLINT: most answers are JSON
  ApiText(std::string text, std::string of_type)
      : body(std::move(text)), type(std::move(of_type)) {}

  std::string body;
  std::string type = "application/json";
};

struct ApiParameter {
  std::string name, about;
  bool is_number = false;
};

struct ApiRoute {
  std::string path;  // below /api/v1; "{project}", "{run}" and "{finding}" are any segment
  std::string about;
  std::vector<ApiParameter> parameters;         // of the query
  const google::protobuf::Descriptor* message;  // of the answer; null: `schema` has it
  nlohmann::ordered_json schema;
  // Errors are the query's.
  absl::StatusOr<ApiText> (*answer)(const ApiCall& call);
  // For responses other than JSON.
  std::vector<std::string> types = {"application/json"};
};

}  // namespace gprofhub::server
