// The answer of a server that has too much to do, and why others were refused.
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

// RESOURCE_EXHAUSTED with these words, and when the client may come back. `reason` is a constant in
// the code, of capital letters and underscores: clients and metrics tell reasons apart by it.
absl::Status Overloaded(absl::string_view message, absl::Duration come_back_in,
                        absl::string_view reason = "OVERLOADED");

// RESOURCE_EXHAUSTED with these words and this reason, for what will not be better later.
absl::Status Exhausted(absl::string_view message, absl::string_view reason);

// What base::DecodingBudget refused for now, as Overloaded; any other status as it is.
absl::Status OverloadedIfShort(const absl::Status& status);

// The time that Overloaded gave; nullopt: coming back is no use.
std::optional<absl::Duration> ComeBackIn(const absl::Status& status);

// Why a call with this status was refused, in small letters: the reason of Overloaded or Exhausted,
// or "token", "permission", "stalled" or "too_large". Empty: it was not refused.
std::string RefusalOf(const absl::Status& status);

}  // namespace gprofhub::collector
