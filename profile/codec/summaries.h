// Summaries of days: min, median and max of a function's values over each day's runs. Four weeks
// are packed together, as the points of runs are (series_chunk.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gprofhub::profile {

// Over the values of several runs; least <= median <= most.
struct Spread {
  double least = 0;
  double median = 0;
  double most = 0;
};

// A day with runs.
struct SummaryDay {
  uint32_t day = 0;  // offset in the span, below kMostSummaryDays
  uint32_t runs = 0;
  int64_t last_run_id = 0;  // of the run that is ordered last
};

// A function's values over a day's runs. A run without the function counts as zeros.
struct DayPoint {
  Spread calls;
  Spread self_seconds;
  Spread total_seconds;
};

inline constexpr size_t kMostSummaryDays = 28;

// At most kMostSummaryDays, ascending by day, each once. Deterministic.
std::string EncodeSummaryDays(absl::Span<const SummaryDay> days);
// Inverse of EncodeSummaryDays. DataLoss names the error.
absl::StatusOr<std::vector<SummaryDay>> DecodeSummaryDays(absl::string_view bytes);

// One for each of the summary's days. Times are rounded to the nanosecond, calls to 1/1024.
// Deterministic.
std::string EncodeDayPoints(absl::Span<const DayPoint> points);
// `days` is the number of the summary's days. DataLoss.
absl::StatusOr<std::vector<DayPoint>> DecodeDayPoints(absl::string_view bytes, size_t days);

}  // namespace gprofhub::profile
