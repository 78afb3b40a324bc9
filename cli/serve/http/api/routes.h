// What /api/v1 answers, and how.
#pragma once

#include <google/protobuf/descriptor.h>

#include <nlohmann/json.hpp>
#include <string>
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

  const PageStore& store() const { return sources.store; }
  const std::string& Query(const std::string& name) const { return request.Query(name); }
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
  // JSON; errors are the query's.
  absl::StatusOr<std::string> (*answer)(const ApiCall& call);
};

const std::vector<ApiRoute>& ApiRoutes();

// Whether the segments behind /api/v1 are the route's; then the call has them.
bool Matches(const ApiRoute& route, const PageRequest& request, ApiCall& call);

}  // namespace gprofhub::cli
