// Summaries of days: what the runs of each day say of a function, the least, the median and the
// most. Four weeks of it are packed together, as the points of runs are (series_chunk.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gprofhub::profile {

// Of the values of several runs; least <= median <= most.
struct Spread {
  double least = 0;
  double median = 0;
  double most = 0;
};

// A day with runs.
struct SummaryDay {
  uint32_t day = 0;  // of the span, below kMostSummaryDays
  uint32_t runs = 0;
  int64_t last_run_id = 0;  // of the one that is ordered last
};

// What a day's runs say of a function. A run without the function counts as zeros.
struct DayPoint {
  Spread calls;
  Spread self_seconds;
  Spread total_seconds;
};

inline constexpr size_t kMostSummaryDays = 28;

// At most kMostSummaryDays, ascending by day, each once. Deterministic.
std::string EncodeSummaryDays(absl::Span<const SummaryDay> days);
// What EncodeSummaryDays was given. DataLoss names what is wrong.
absl::StatusOr<std::vector<SummaryDay>> DecodeSummaryDays(absl::string_view bytes);

// One for each of the summary's days. Times are kept to the nanosecond, calls to 1/1024.
// Deterministic.
std::string EncodeDayPoints(absl::Span<const DayPoint> points);
// `days` is how many the summary has. DataLoss.
absl::StatusOr<std::vector<DayPoint>> DecodeDayPoints(absl::string_view bytes, size_t days);

}  // namespace gprofhub::profile
