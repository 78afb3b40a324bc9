// Helpers of all gRPC adapters of the server: conversion of errors, and the caller's credentials.
#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "collector/access/authorizer.h"

namespace gprofhub::collector {

// Summary of a finished call, for metrics.

struct EndedCall {
  absl::string_view method;  // its name; empty: unknown method
  absl::StatusCode code = absl::StatusCode::kOk;
  absl::string_view refusal;  // as returned by RefusalOf (overloaded.h); empty: it was not refused
  absl::Duration took;
  uint64_t received_bytes = 0;  // of its messages
  uint64_t sent_bytes = 0;
};

// Called from several threads; must not block.
using OnEndedCall = std::function<void(const EndedCall& call)>;

// The same code and message; the status's payloads become the details of the
// "grpc-status-details-bin" trailer (proto/status_details.proto).
grpc::Status ToGrpcStatus(const absl::Status& status);

// The metadata of a call of "/package.Service/Method" for Access.
CallOrigin OriginOf(const grpc::ServerContextBase& context, absl::string_view method);

// base::ClientAt for gRPC's name of a peer, such as "ipv4:10.0.0.7:51234" or
// "ipv6:%5B2001:db8::1%5D:51234".
std::string ClientOfPeer(absl::string_view peer);

// The call's metadata "build.bazel.remote.execution.v2.requestmetadata-bin", or empty.
std::string RequestMetadataOf(const grpc::ServerContextBase& context);

// The id from the caller's `traceparent` metadata, or a new one.
std::string RequestIdOf(const grpc::ServerContextBase& context);

// Correlation id of a call, in every log line of the call and of its jobs, up to the report.

// Bytes of an id.
inline constexpr size_t kRequestIdLength = 32;

// The trace id of a `traceparent` (32 lower-case hexadecimal digits); nullopt if malformed.
// Source: W3C Trace Context, 3.2 "Traceparent Header". Fields of later versions are ignored
// (3.2.4).
std::optional<std::string> TraceIdOf(absl::string_view traceparent);

// A new id of the same form.
std::string NewRequestId();

}  // namespace gprofhub::collector
