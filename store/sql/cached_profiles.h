// The profiles of results that came out of Bazel's cache.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Gives the cached execution `execution_id`, which came without profiles, those of an earlier
// execution that is the same measurement: of the same project, configuration, target, run number
// and shard, which passed and ran the same test binary. Where the binary is not known, it is one
// of the same commit. An execution of the main line goes before one of
// a pull request, so that nobody can put another in its place; then that of the same commit goes
// before others, then the newest. Executions of forks serve their own pull request only.
//
// Returns how many profiles were found; 0: there is no such execution.
absl::StatusOr<uint32_t> FindCachedProfiles(Session& session, int64_t execution_id,
                                            const NewExecution& execution);

}  // namespace gprofhub::store::sql
