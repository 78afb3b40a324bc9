// Routes of /api/v1.
#pragma once

#include <vector>

#include "cli/serve/http/api/route.h"
#include "cli/serve/http/visits/page_request.h"

namespace gprofhub::cli {

const std::vector<ApiRoute>& ApiRoutes();

// Whether the segments behind /api/v1 are the route's; then the call has them.
bool Matches(const ApiRoute& route, const PageRequest& request, ApiCall& call);

}  // namespace gprofhub::cli
