// Default identity of a run.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "ci/upload/results/test_attempt.h"
#include "proto/collector.pb.h"

namespace gprofhub::ci {

// Sets a run's key and start if they are unset. `run.run_key` becomes a hash
// of the profiles' files, so that the same upload sent twice is one run. `run.started_unix_ms`
// becomes the time of the oldest of these files. NOT_FOUND if a named file is absent.
absl::Status CompleteRun(const std::vector<TestAttempt>& attempts, v1::RunInfo& run);

}  // namespace gprofhub::ci
