// The points of a line (a target on a branch) as values, open and sealed alike.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/decoding/decoding.h"
#include "profile/codec/series.h"
#include "reporter/history/trend.h"
#include "store/reading.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// The runs that are wanted: id to place.
using RunPlaces = absl::flat_hash_map<int64_t, size_t>;

// The points that the query asks for. What they take is left with `decoding`, whose errors come.
// (It is known only once they are there. Their number is bounded by that of the query's runs.)
absl::StatusOr<std::vector<store::LinePoints>> ReadLines(const store::Reading& reading,
                                                         const store::PointQuery& query,
                                                         const base::Decoding& decoding);

// The line's segments of wanted runs, by run. What they take is left with `decoding`, whose errors
// come.
absl::StatusOr<absl::flat_hash_map<int64_t, profile::SeriesSegment>> SegmentsOf(
    const store::LinePoints& line, const RunPlaces& wanted, const base::Decoding& decoding);

// Adds what the line says of a function to the sums of the wanted runs. `sums` has room for each
// place. Reads of a sealed row only what is the function's, all within `decoding`, whose errors
// come.
absl::Status AddLine(const store::LinePoints& line, const absl::flat_hash_set<uint64_t>& hashes,
                     const RunPlaces& wanted, const base::Decoding& decoding,
                     std::vector<FunctionAtRun>& sums);

}  // namespace gprofhub::reporter
