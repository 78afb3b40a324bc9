// grpc.health.v1.Health.Check, for whoever watches the server.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "collector/calls/method.h"

namespace gprofhub::cli {

// Whether a service is serving, "" being the server as a whole; nullopt: this process has none of
// that name. Must not block.
using IsServing = std::function<std::optional<bool>(const std::string& service)>;

// Needs no token. SERVING, NOT_SERVING, or NOT_FOUND for a name that is none of this process.
// Source: https://github.com/grpc/grpc/blob/v1.51.1/doc/health-checking.md
collector::Method HealthMethod(IsServing is_serving);

}  // namespace gprofhub::cli
