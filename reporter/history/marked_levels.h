// Finds and marks a trend's levels, for runs, days and weeks.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "proto/query.pb.h"
#include "reporter/history/change_points.h"
#include "reporter/history/count_steps.h"
#include "reporter/history/time_steps.h"

namespace gprofhub::reporter {

// Exact counts as they are, others as measurements. Points ascend by release.
inline std::vector<ChangePoint> FindLevelsOfCounts(absl::Span<const CountPoint> points,
                                                   const ChangePointOptions& options) {
  return IsExact(points) ? FindCountSteps(points) : FindVaryingCountSteps(points, options);
}

inline v1::ChangeMark MarkOf(const ChangePoint& change) {
  return change.confirmed ? v1::CHANGED : v1::CHANGED_UNCONFIRMED;
}

}  // namespace gprofhub::reporter
