// Change points of a function's exact counts.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "reporter/history/change_points.h"

namespace gprofhub::reporter {

// Whether the program repeats its counts, so that every difference is real; count_steps.cc has the
// criteria. Points ascend by release, here and below.
bool IsExact(absl::Span<const CountPoint> points);

// The steps of exact counts.
std::vector<ChangePoint> FindCountSteps(absl::Span<const CountPoint> points);

}  // namespace gprofhub::reporter
