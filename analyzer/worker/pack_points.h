// Points of many runs, packed for reading them all.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "store/records/records.h"

namespace gprofhub::analyzer {

// A store::PackPoints. What analyses gave (profile/codec/series.h) becomes one chunk
// (profile/codec/series_chunk.h). DataLoss names the run whose points are damaged.
absl::StatusOr<std::string> PackPoints(const std::vector<store::RunPoints>& points);

}  // namespace gprofhub::analyzer
