// Waiting until the server has analysed what it was sent.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/query.pb.h"

namespace gprofhub::cli {

// How often a command asks whether something has come about at the server.
inline constexpr absl::Duration kPollInterval = absl::Milliseconds(500);

// Asks for the runs again and again until none of their targets is pending, and shows on stderr
// how far they are. DEADLINE_EXCEEDED after so many seconds; else the errors of `list`.
absl::StatusOr<v1::ListRunsResponse> AwaitAnalysis(
    const std::function<absl::StatusOr<v1::ListRunsResponse>()>& list, uint32_t seconds);

// Targets of the runs whose analysis failed.
uint32_t FailedTargets(const v1::ListRunsResponse& runs);

}  // namespace gprofhub::cli
