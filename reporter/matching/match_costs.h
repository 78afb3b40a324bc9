// The calls and times of matched functions, run by run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reporter/matching/matched_target.h"
#include "reporter/matching/side_runs.h"

namespace gprofhub::reporter {

// Adds the costs of one side's runs. The first run has the column `first_run` in
// FunctionPair::self_by_run and child_by_run. Rows of the runs must still have their function's
// name, up to a clone suffix.
void AddCosts(const SideRuns& side, bool is_after, size_t first_run, MatchedTarget& matched);

// Adds times of runs of older commits. A run counts for a function only if the function was the
// same there as at the base: same calls per execution and same size. Otherwise the function's
// column of that run is NaN. The base's costs, of `repetitions_before` executions, must already be
// added.
void AddOlderRuns(const SideRuns& older, uint64_t repetitions_before, size_t first_run,
                  std::vector<FunctionPair>& functions);

}  // namespace gprofhub::reporter
