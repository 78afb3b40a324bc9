// Change points of a function's sampled times.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "reporter/history/change_points.h"
#include "reporter/history/scatter.h"

namespace gprofhub::reporter {

// Points ascend by release. The essay is in time_steps.cc.
std::vector<ChangePoint> FindTimeSteps(absl::Span<const TimePoint> points, const Scatter& scatter,
                                       const ChangePointOptions& options);

// The same for counts that vary from run to run, treated as measurements.
std::vector<ChangePoint> FindVaryingCountSteps(absl::Span<const CountPoint> points,
                                               const ChangePointOptions& options);

}  // namespace gprofhub::reporter
