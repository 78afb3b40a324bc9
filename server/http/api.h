// JSON under /api/v1: the query service's responses, by the HTTP routes of its table, and what the
// pages show.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/http/page_request.h"
#include "server/http/visits.h"

namespace gprofhub::server {

// GET only. Answers are the messages of proto/query.proto in the form of reporter/rendering/json.h,
// as the commands print them; errors are {"error": {"code", "message"}}.
PageAnswer AnswerApi(const PageSources& sources, Visits& visits, const PageRequest& request);

PageAnswer ErrorJson(const absl::Status& status);

// The Model Context Protocol at /mcp, for the project that the query names. POST only.
PageAnswer AnswerMcp(const PageSources& sources, Visits& visits, const PageRequest& request);

// The OpenAPI 3.1 description of /api/v1. `path_prefix` as in VisitOptions.
std::string OpenApiJson(absl::string_view path_prefix);

}  // namespace gprofhub::server
