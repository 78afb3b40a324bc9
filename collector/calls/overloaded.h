// Errors of an overloaded server, and reasons of refused calls.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::collector {

// Payloads of such an error: a serialized RetryInfo and a serialized ErrorInfo
// (proto/status_details.proto).
inline constexpr absl::string_view kRetryInfoUrl = "type.googleapis.com/google.rpc.RetryInfo";
inline constexpr absl::string_view kErrorInfoUrl = "type.googleapis.com/google.rpc.ErrorInfo";

// RESOURCE_EXHAUSTED with this message and a retry delay. `reason` is a constant of capital letters
// and underscores, for clients and metrics.
absl::Status Overloaded(absl::string_view message, absl::Duration come_back_in,
                        absl::string_view reason = "OVERLOADED");

// RESOURCE_EXHAUSTED with this message and reason, where a retry cannot help.
absl::Status Exhausted(absl::string_view message, absl::string_view reason);

// Turns a temporary refusal of base::DecodingBudget into Overloaded; any other status is unchanged.
absl::Status OverloadedIfShort(const absl::Status& status);

// The retry delay of Overloaded; nullopt: do not retry.
std::optional<absl::Duration> ComeBackIn(const absl::Status& status);

// Reason of a refusal, in lower case: the reason of Overloaded or Exhausted, or "token",
// "permission", "stalled" or "too_large". Empty: it was not refused.
std::string RefusalOf(const absl::Status& status);

}  // namespace gprofhub::collector
