// Where a trend by days or weeks has a new level.
#pragma once

#include "proto/query.pb.h"

namespace gprofhub::reporter {

// Marks the periods at which the medians have a new level, as runs are marked (trend.h). No error
// of sampling is kept of days and weeks: how far their medians scatter is seen in how neighbours
// differ. A step within a period is that of the next one, if its median is of neither level.
void MarkLevels(v1::GetTrendResponse& trend);

}  // namespace gprofhub::reporter
