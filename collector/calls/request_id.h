// What names one call in every log line that it leads to, up to the report.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::collector {

// Bytes of an id.
inline constexpr size_t kRequestIdLength = 32;

// The trace id of a `traceparent` (32 lower-case hexadecimal digits); nullopt if it is none.
// Source: W3C Trace Context, 3.2 "Traceparent Header". Fields that a later version adds are passed
// over, as 3.2.4 says.
std::optional<std::string> TraceIdOf(absl::string_view traceparent);

// A new id of the same form.
std::string NewRequestId();

}  // namespace gprofhub::collector
