// Drift: the cost of the order in use relative to a new one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "analyzer/replay/replay.h"

namespace gprofhub::cli {

struct NamedMetric {
  absl::string_view name;
  uint64_t analyzer::ReplayMetrics::*value;
};

// The metrics of a replay, named as in its JSON.
inline constexpr NamedMetric kReplayMetrics[] = {
    {"startup_pages", &analyzer::ReplayMetrics::startup_pages},
    {"pages", &analyzer::ReplayMetrics::pages},
    {"itlb_misses_64", &analyzer::ReplayMetrics::itlb_misses_64},
    {"itlb_misses_16", &analyzer::ReplayMetrics::itlb_misses_16},
    {"l1i_misses", &analyzer::ReplayMetrics::l1i_misses},
};

struct DriftLimit {
  NamedMetric metric;
  double percent = 0;  // allowed excess of the order in use over the new one
};

// Parses "METRIC=PERCENT" each. INVALID_ARGUMENT: unknown metric, or the percentage is not a
// non-negative number.
absl::StatusOr<std::vector<DriftLimit>> ParseDriftLimits(absl::Span<const std::string> texts);

// A sentence for each limit that `current` exceeds.
std::vector<std::string> DriftsBeyond(absl::Span<const DriftLimit> limits,
                                      absl::string_view current_name,
                                      const analyzer::ReplayMetrics& current,
                                      absl::string_view renewed_name,
                                      const analyzer::ReplayMetrics& renewed);

}  // namespace gprofhub::cli
