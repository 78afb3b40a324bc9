// Correlation id of a call, in every log line of the call and of its jobs, up to the report.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::collector {

// Bytes of an id.
inline constexpr size_t kRequestIdLength = 32;

// The trace id of a `traceparent` (32 lower-case hexadecimal digits); nullopt if malformed.
// Source: W3C Trace Context, 3.2 "Traceparent Header". Fields of later versions are ignored
// (3.2.4).
std::optional<std::string> TraceIdOf(absl::string_view traceparent);

// A new id of the same form.
std::string NewRequestId();

}  // namespace gprofhub::collector
