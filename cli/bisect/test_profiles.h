// The profiles of a test that was just run here, computed without a server.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ci/upload/images/image_bundles.h"
#include "ci/upload/results/build_events.h"
#include "profile/computed.h"

namespace gprofhub::cli {

// One for each run of the test (--runs_per_test), summed over its shards, each by its last attempt.
// With a part of the test (ci/upload/results/cases.h) they are those of the part.
// FAILED_PRECONDITION, with a clause, where a shard has no profile that could be read, or the log
// is about several tests.
absl::StatusOr<std::vector<profile::ComputedProfile>> ComputeTestProfiles(
    const ci::BuildLog& log, absl::string_view part, ci::ImageBundles& bundles);

}  // namespace gprofhub::cli
