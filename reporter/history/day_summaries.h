// Days and weeks of a history: what their runs say of a function, in three numbers.
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

// The days of a span that have analysed runs, and which runs those are.
struct SpanDays {
  std::vector<profile::SummaryDay> days;
  std::vector<std::vector<size_t>> runs;  // of each day: places in `heads`
};

// `heads` are a span's runs, newest first; `start` is when it begins, UTC. A run that is older than
// that counts for the first day. `analysed` has one for each run.
SpanDays DaysOf(const std::vector<store::RunHead>& heads, const std::vector<bool>& analysed,
                absl::Time start);

// What each of the days says of a function. `sums` has one for each run of `heads`.
std::vector<profile::DayPoint> PointsOfDays(const SpanDays& days,
                                            const std::vector<FunctionAtRun>& sums);

// A day of a history.
struct HistoryDay {
  int64_t day = 0;  // since 1970
  profile::SummaryDay summary;
  profile::DayPoint point;
};

// The day that a time is in, since 1970, and the Monday of its week; UTC.
int64_t DayOf(absl::Time time);
int64_t MondayOf(int64_t day);

// One period for each day, or for each week, that has runs. `days` come oldest first. `by` is no
// BY_RUN.
std::vector<v1::TrendPeriod> PeriodsOf(absl::Span<const HistoryDay> days, v1::TrendBy by);

}  // namespace gprofhub::reporter
