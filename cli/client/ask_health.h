// grpc.health.v1, asked.
#pragma once

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/health.pb.h"

namespace gprofhub::cli {

// Whether the service is serving; "" is the whole server. It needs no token, so none is sent.
// Errors are the call's. Source: https://github.com/grpc/grpc/blob/v1.51.1/doc/health-checking.md
absl::StatusOr<v1::HealthCheckResponse> AskHealth(const std::shared_ptr<grpc::Channel>& channel,
                                                  const std::string& service,
                                                  absl::Duration timeout);

}  // namespace gprofhub::cli
