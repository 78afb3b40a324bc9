#include "reporter/history/day_summaries.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "base/median.h"

namespace gprofhub::reporter {
namespace {

constexpr int64_t kMillisecondsOfDay = 24 * 60 * 60 * 1000;

profile::Spread SpreadOf(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return {*least, base::Median(values), *most};
}

void SetSpread(const profile::Spread& spread, v1::TrendSpread& message) {
  message.set_least(spread.least);
  message.set_median(spread.median);
  message.set_most(spread.most);
}

// Spread over several days.
profile::Spread Merge(absl::Span<const HistoryDay> days, profile::Spread profile::DayPoint::*of) {
  profile::Spread merged = days.front().point.*of;
  std::vector<double> medians;
  for (const HistoryDay& day : days) {
    const profile::Spread& spread = day.point.*of;
    merged.least = std::min(merged.least, spread.least);
    merged.most = std::max(merged.most, spread.most);
    medians.push_back(spread.median);
  }
  merged.median = base::Median(medians);
  return merged;
}

v1::TrendPeriod PeriodOf(absl::Span<const HistoryDay> days, int64_t first_day) {
  v1::TrendPeriod period;
  period.set_unix_ms(first_day * kMillisecondsOfDay);
  uint32_t runs = 0;
  for (const HistoryDay& day : days) runs += day.summary.runs;
  period.set_runs(runs);
  period.set_last_run_id(absl::StrCat(days.back().summary.last_run_id));
  SetSpread(Merge(days, &profile::DayPoint::calls), *period.mutable_calls());
  SetSpread(Merge(days, &profile::DayPoint::self_seconds), *period.mutable_self_seconds());
  SetSpread(Merge(days, &profile::DayPoint::total_seconds), *period.mutable_total_seconds());
  return period;
}

}  // namespace

int64_t DayOf(absl::Time time) { return absl::ToUnixMillis(time) / kMillisecondsOfDay; }

// The first day of 1970 was a Thursday.
int64_t MondayOf(int64_t day) { return day - (day + 3) % 7; }

SpanDays DaysOf(const std::vector<store::RunHead>& heads, const std::vector<bool>& analysed,
                absl::Time start) {
  std::map<int64_t, std::vector<size_t>> by_day;
  for (size_t i = 0; i < heads.size(); ++i) {
    if (!analysed[i]) continue;
    by_day[std::max<int64_t>(0, DayOf(heads[i].ordered) - DayOf(start))].push_back(i);
  }
  SpanDays days;
  for (auto& [day, runs] : by_day) {
    days.days.push_back(
        {static_cast<uint32_t>(day), static_cast<uint32_t>(runs.size()), heads[runs.front()].id});
    days.runs.push_back(std::move(runs));
  }
  return days;
}

std::vector<profile::DayPoint> PointsOfDays(const SpanDays& days,
                                            const std::vector<FunctionAtRun>& sums) {
  std::vector<profile::DayPoint> points;
  points.reserve(days.runs.size());
  for (const std::vector<size_t>& runs : days.runs) {
    std::vector<double> calls, self, total;
    for (const size_t run : runs) {
      calls.push_back(sums[run].calls);
      self.push_back(sums[run].self_seconds);
      total.push_back(sums[run].total_seconds);
    }
    points.push_back({SpreadOf(calls), SpreadOf(self), SpreadOf(total)});
  }
  return points;
}

std::vector<v1::TrendPeriod> PeriodsOf(absl::Span<const HistoryDay> days, v1::TrendBy by) {
  std::vector<v1::TrendPeriod> periods;
  while (!days.empty()) {
    const auto period = [by](const HistoryDay& day) {
      return by == v1::BY_WEEK ? MondayOf(day.day) : day.day;
    };
    const int64_t first = period(days.front());
    size_t count = 1;
    while (count < days.size() && period(days[count]) == first) ++count;
    periods.push_back(PeriodOf(days.first(count), first));
    days.remove_prefix(count);
  }
  return periods;
}

}  // namespace gprofhub::reporter
