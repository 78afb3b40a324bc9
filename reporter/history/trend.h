// One function's series over runs.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "profile/codec/series.h"
#include "proto/query.pb.h"
#include "reporter/history/resolve_function.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// Decoded segments of the function's buckets, by run. A run has one for each target and bucket. The
// list of an analysed run without a segment is empty.
using SegmentsByRun = std::map<int64_t, std::vector<profile::SeriesSegment>>;

// The function's points in `runs`. The runs come newest first, the points oldest first. A run that
// is not in `segments` has not been analysed. It is left out. A run without the function gets a
// point of zero. Changes are marked within the runs of one branch and configuration. Runs of pull
// requests and forks have no marks.
v1::GetTrendResponse BuildTrend(const SeriesIdentity& identity,
                                const std::vector<store::RunRecord>& runs,
                                const SegmentsByRun& segments);

}  // namespace gprofhub::reporter
