// Waits until the server has analysed the uploaded runs.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proto/query.pb.h"

namespace gprofhub::cli {

// Polling interval of commands that wait for the server.
inline constexpr absl::Duration kPollInterval = absl::Milliseconds(500);

// Polls the runs until none of their targets is pending, with the progress on stderr.
// DEADLINE_EXCEEDED after the timeout; else the errors of `list`.
absl::StatusOr<v1::ListRunsResponse> AwaitAnalysis(
    const std::function<absl::StatusOr<v1::ListRunsResponse>()>& list, uint32_t seconds);

// Targets of the runs whose analysis failed.
uint32_t FailedTargets(const v1::ListRunsResponse& runs);

}  // namespace gprofhub::cli
