// Change points of all functions of one target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/findings.pb.h"
#include "reporter/history/change_points.h"
#include "reporter/history/history.h"

namespace gprofhub::reporter {

struct SeriesChange {
  size_t target = 0;  // index into History::targets()
  uint64_t function_hash = 0;
  v1::Finding::Metric metric = v1::Finding::CALLS;  // or SELF_TIME
  ChangePoint change;
};

// The change points of calls and self times, sorted by function, metric and release. Calls are per
// execution. Times are seconds per execution at the mean speed of the machines. A function without
// a point at a measured release was not called there. Returns errors of the history.
absl::StatusOr<std::vector<SeriesChange>> FindSeriesChanges(History& history, size_t target);

}  // namespace gprofhub::reporter
