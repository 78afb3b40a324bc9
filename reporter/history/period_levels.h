// Change points of a trend by days or weeks.
#pragma once

#include "proto/query.pb.h"

namespace gprofhub::reporter {

// Marks the periods at which the medians have a new level, like runs (trend.h). Days and weeks have
// no stored sampling error: the scatter of their medians is estimated from differences of
// neighbours. A step within a period counts for the next one, if the period's median belongs to
// neither level.
void MarkLevels(v1::GetTrendResponse& trend);

}  // namespace gprofhub::reporter
