// The points of a line (a target on a branch) as values, open and sealed alike.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "profile/codec/series.h"
#include "reporter/history/trend.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// The runs that are wanted: id to place.
using RunPlaces = absl::flat_hash_map<int64_t, size_t>;

// The line's segments of wanted runs, by run.
absl::StatusOr<absl::flat_hash_map<int64_t, profile::SeriesSegment>> SegmentsOf(
    const store::LinePoints& line, const RunPlaces& wanted);

// Adds what the line says of a function to the sums of the wanted runs. `sums` has room for each
// place. Reads of a sealed row only what is the function's.
absl::Status AddLine(const store::LinePoints& line, const absl::flat_hash_set<uint64_t>& hashes,
                     const RunPlaces& wanted, std::vector<FunctionAtRun>& sums);

}  // namespace gprofhub::reporter
