// Sums one function over the targets of runs.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/decoding/decoding.h"
#include "reporter/history/resolve_function.h"
#include "reporter/history/trend.h"
#include "store/reading.h"
#include "store/records/history.h"

namespace gprofhub::reporter {

// Runs of a project.
struct SummedRuns {
  std::string project;
  std::string target;  // one of their targets; empty: all
  const std::vector<store::RunHead>& runs;
};

// One entry per run. Memory is reserved from `decoding`, whose errors are passed on.
absl::StatusOr<std::vector<FunctionAtRun>> SumsOf(const store::Reading& reading,
                                                  const base::Decoding& decoding,
                                                  const SummedRuns& runs,
                                                  const SeriesIdentity& function);

}  // namespace gprofhub::reporter
