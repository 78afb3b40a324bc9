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

// Decoded segments of the function's buckets, by run: of each run one per
// target and bucket. An analysed run without a segment has an empty list.
using SegmentsByRun = std::map<int64_t, std::vector<profile::SeriesSegment>>;

// The function's points in `runs` (newest first; points come out oldest first).
// A run that is not in `segments` has not been analysed and is left out; one
// without the function gets a point of zero. Changes are marked within the runs of
// one branch and configuration, those of pull requests and forks left out.
v1::GetTrendResponse BuildTrend(const SeriesIdentity& identity,
                                const std::vector<store::RunRecord>& runs,
                                const SegmentsByRun& segments);

}  // namespace gprofhub::reporter
