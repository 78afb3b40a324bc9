// One function's series over runs.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/codec/series.h"
#include "proto/query.pb.h"
#include "reporter/history/resolve_function.h"
#include "store/records/history.h"

namespace gprofhub::reporter {

// What a run says of a function: the sum over its targets. Calls and seconds are per execution.
struct FunctionAtRun {
  bool analysed = false;
  bool present = false;  // the run has the function
  double calls = 0;
  bool repeats = true;  // no target's calls differ between its executions, as far as a sum tells
  double self_seconds = 0;
  double total_seconds = 0;
  double self_variance = 0;   // of self_seconds
  double total_variance = 0;  // of total_seconds, at most
};

// Adds a target's point. The first two are those of its segment (profile/codec/series.h).
void AddPoint(double sample_rate, uint32_t repetitions, const profile::SeriesPoint& point,
              FunctionAtRun& sum);

// The function's trend without anything in it yet.
v1::GetTrendResponse TrendOf(const SeriesIdentity& identity);

// The function's points in `runs`. The runs come newest first, the points oldest first. `sums` has
// one for each run. A run that has not been analysed is left out. A run without the function gets a
// point of zero. Changes are marked within the runs of one branch and configuration. Runs of pull
// requests and forks have no marks.
v1::GetTrendResponse BuildTrend(const SeriesIdentity& identity,
                                const std::vector<store::RunHead>& runs,
                                const std::vector<FunctionAtRun>& sums);

}  // namespace gprofhub::reporter
