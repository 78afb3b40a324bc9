// How a trend's levels are found and marked, whether its points are runs, days or weeks.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "proto/query.pb.h"
#include "reporter/history/change_points.h"
#include "reporter/history/count_steps.h"
#include "reporter/history/time_steps.h"

namespace gprofhub::reporter {

// Exact counts by themselves, others as measurements. Points ascend by release.
inline std::vector<ChangePoint> FindLevelsOfCounts(absl::Span<const CountPoint> points,
                                                   const ChangePointOptions& options) {
  return IsExact(points) ? FindCountSteps(points) : FindVaryingCountSteps(points, options);
}

inline v1::ChangeMark MarkOf(const ChangePoint& change) {
  return change.confirmed ? v1::CHANGED : v1::CHANGED_UNCONFIRMED;
}

}  // namespace gprofhub::reporter
