// The answer of a server that has too much to do.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::collector {

// Payload of such an error: a serialized RetryInfo (proto/status_details.proto).
inline constexpr absl::string_view kRetryInfoUrl = "type.googleapis.com/google.rpc.RetryInfo";

// RESOURCE_EXHAUSTED with these words, and when the client may come back.
absl::Status Overloaded(absl::string_view message, absl::Duration come_back_in);

// The time that Overloaded gave; nullopt: coming back is no use.
std::optional<absl::Duration> ComeBackIn(const absl::Status& status);

}  // namespace gprofhub::collector
