// Where a function's exact counts changed for good.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "reporter/history/change_points.h"

namespace gprofhub::reporter {

// Whether the counts are a repeating program's, whose every difference is real: see count_steps.cc.
// Points ascend by release, here and below.
bool IsExact(absl::Span<const CountPoint> points);

// Of exact counts.
std::vector<ChangePoint> FindCountSteps(absl::Span<const CountPoint> points);

}  // namespace gprofhub::reporter
