// The calls and times of matched functions, run by run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "reporter/matching/matched_target.h"
#include "reporter/matching/side_runs.h"

namespace gprofhub::reporter {

// Adds the costs of one side's runs. The first run has the column `first_run` in
// FunctionPair::self_by_run and child_by_run. Rows of the runs still have their function's name,
// but for a clone's suffix.
void AddCosts(const SideRuns& side, bool is_after, size_t first_run, MatchedTarget& matched);

// Notes what runs of older commits say of times. A run speaks of a function only if the function
// was the same there as at the base: called as often per execution, and of the same size. Otherwise
// the function's column of that run becomes not a number. The base's costs must have been added.
// They are those of `repetitions_before` executions.
void AddOlderRuns(const SideRuns& older, uint64_t repetitions_before, size_t first_run,
                  std::vector<FunctionPair>& functions);

}  // namespace gprofhub::reporter
