// One function's series over runs.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/codec/series.h"
#include "proto/query.pb.h"
#include "reporter/history/resolve_function.h"
#include "store/records/history.h"

namespace gprofhub::reporter {

// A function in one run: the sum over its targets. Calls and seconds are per execution.
struct FunctionAtRun {
  bool analysed = false;
  bool present = false;  // the run has the function
  double calls = 0;
  bool repeats = true;  // each target's executions agree, judging by their sum
  double self_seconds = 0;
  double total_seconds = 0;
  double self_variance = 0;   // of self_seconds
  double total_variance = 0;  // upper bound of total_seconds' variance
};

// Adds a target's point. The first two arguments are those of its segment (profile/codec/series.h).
void AddPoint(double sample_rate, uint32_t repetitions, const profile::SeriesPoint& point,
              FunctionAtRun& sum);

// The function's trend, without points.
v1::GetTrendResponse TrendOf(const SeriesIdentity& identity);

// The function's points in `runs`. Runs are sorted newest first, points oldest first. `sums` has
// one entry per run. Runs that are not analysed are omitted. A run without the function gets a
// point of zero. Changes are marked within the runs of one branch and configuration. Runs of pull
// requests and forks have no marks.
v1::GetTrendResponse BuildTrend(const SeriesIdentity& identity,
                                const std::vector<store::RunHead>& runs,
                                const std::vector<FunctionAtRun>& sums);

}  // namespace gprofhub::reporter
