// Points of many runs, packed for reading them all.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "store/records/records.h"

namespace gprofhub::analyzer {

// A store::PackPoints. What analyses gave (profile/codec/series.h) becomes part of a
// chunk (profile/codec/series_chunk.h). DataLoss names the run whose points are damaged.
absl::StatusOr<store::PackedPoints> PackPoints(const std::vector<store::RunPoints>& points);

// A store::MergePoints. DataLoss if something of it is damaged.
absl::StatusOr<store::PackedPoints> MergePoints(const std::vector<store::PackedPoints>& points);

}  // namespace gprofhub::analyzer
