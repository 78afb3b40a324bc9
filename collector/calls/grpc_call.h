// Helpers of all gRPC adapters of the server: conversion of errors, and the caller's credentials.
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include <string>

#include "absl/status/status.h"
#include "collector/access/caller.h"

namespace gprofhub::collector {

// The same code and message; the status's payloads become the details of the
// "grpc-status-details-bin" trailer (proto/status_details.proto).
grpc::Status ToGrpcStatus(const absl::Status& status);

// The metadata of a call of "/package.Service/Method" for Access.
CallOrigin OriginOf(const grpc::ServerContextBase& context, absl::string_view method);

// The call's metadata "build.bazel.remote.execution.v2.requestmetadata-bin", or empty.
std::string RequestMetadataOf(const grpc::ServerContextBase& context);

// The id from the caller's `traceparent` metadata, or a new one.
std::string RequestIdOf(const grpc::ServerContextBase& context);

}  // namespace gprofhub::collector
