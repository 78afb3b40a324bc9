// Packs the points of many runs for reading them together.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "store/records/records.h"

namespace gprofhub::analyzer {

// A store::PackPoints. Converts the points that analyses stored (profile/codec/series.h) to a chunk
// (profile/codec/series_chunk.h). DataLoss names the run whose points are damaged.
absl::StatusOr<store::PackedPoints> PackPoints(const std::vector<store::RunPoints>& points);

// A store::MergePoints. DataLoss if an input is damaged.
absl::StatusOr<store::PackedPoints> MergePoints(const std::vector<store::PackedPoints>& points);

}  // namespace gprofhub::analyzer
