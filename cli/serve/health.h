// grpc.health.v1.Health.Check, for whoever watches the server.
#pragma once

#include <string>
#include <vector>

#include "collector/calls/method.h"

namespace gprofhub::cli {

// Needs no token. SERVING for the services of `methods`, and for the server as a whole; NOT_FOUND
// for any other. Source: https://github.com/grpc/grpc/blob/v1.51.1/doc/health-checking.md
collector::Method HealthMethod(const std::vector<collector::Method>& methods);

}  // namespace gprofhub::cli
