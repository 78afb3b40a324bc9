// JSON under /api/v1: the query service's responses, from the same functions.
#pragma once

#include <string>

#include "cli/serve/http/data/page_sources.h"
#include "cli/serve/http/visits/page_request.h"
#include "cli/serve/http/visits/visits.h"

namespace gprofhub::cli {

// GET only. Answers are the messages of proto/query.proto in the JSON that protobuf defines, with
// the fields' own names and all of them; errors are {"error": {"code", "message"}}.
PageAnswer AnswerApi(const PageSources& sources, Visits& visits, const PageRequest& request);

PageAnswer ErrorJson(const absl::Status& status);

// The OpenAPI 3.1 description of /api/v1.
std::string OpenApiJson();

}  // namespace gprofhub::cli
