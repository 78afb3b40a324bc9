// One address of /api/v1.
#pragma once

#include <google/protobuf/descriptor.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cli/serve/http/data/page_sources.h"
#include "cli/serve/http/visits/page_request.h"

namespace gprofhub::cli {

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

}  // namespace gprofhub::cli
