// The profiles of results from Bazel's cache.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Gives the cached execution `execution_id`, which came without profiles, those of an earlier
// execution that is the same measurement: of the same project, configuration, target, run number
// and shard, which passed and ran the same test binary. If the binary is unknown, it must be of the
// same commit. Executions of the main line take precedence over those of pull requests, which
// therefore cannot replace them; then the same commit, then the newest. Executions of forks serve
// their own pull request only.
//
// Returns the number of profiles; 0: there is no such execution.
absl::StatusOr<uint32_t> FindCachedProfiles(Session& session, int64_t execution_id,
                                            const NewExecution& execution);

}  // namespace gprofhub::store::sql
