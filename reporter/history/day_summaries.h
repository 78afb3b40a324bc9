// Summaries of a function's runs by day and week: min, median, max.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "profile/days/summaries.h"
#include "proto/query.pb.h"
#include "reporter/history/trend.h"
#include "store/records/history.h"

namespace gprofhub::reporter {

// The days of a span that have analysed runs, and the runs of each.
struct SpanDays {
  std::vector<profile::SummaryDay> days;
  std::vector<std::vector<size_t>> runs;  // by day: indices into `heads`
};

// `heads` are a span's runs, newest first; `start` is its beginning, UTC. Older runs count for the
// first day. `analysed` has one entry per run.
SpanDays DaysOf(const std::vector<store::RunHead>& heads, const std::vector<bool>& analysed,
                absl::Time start);

// A function's point for each of the days. `sums` has one entry per run of `heads`.
std::vector<profile::DayPoint> PointsOfDays(const SpanDays& days,
                                            const std::vector<FunctionAtRun>& sums);

// A day of a history.
struct HistoryDay {
  int64_t day = 0;  // since 1970
  profile::SummaryDay summary;
  profile::DayPoint point;
};

// The day of a time, since 1970, and the Monday of its week; UTC.
int64_t DayOf(absl::Time time);
int64_t MondayOf(int64_t day);

// One period for each day or week that has runs. `days` are sorted, oldest first. `by` must not be
// BY_RUN.
std::vector<v1::TrendPeriod> PeriodsOf(absl::Span<const HistoryDay> days, v1::TrendBy by);

}  // namespace gprofhub::reporter
