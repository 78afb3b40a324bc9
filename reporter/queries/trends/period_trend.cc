#include "reporter/queries/trends/period_trend.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "profile/days/summaries.h"
#include "reporter/history/day_summaries.h"
#include "reporter/history/period_levels.h"
#include "reporter/queries/trends/run_sums.h"
#include "reporter/queries/trends/trend_function.h"
#include "store/records/history.h"
#include "store/records/records.h"
#include "store/records/summaries.h"

namespace gprofhub::reporter {
namespace {

constexpr uint32_t kDefaultPeriods = 100;
constexpr uint32_t kMostPeriods = 1000;
// Number of runs in which the function's name is resolved.
constexpr uint32_t kNewestRuns = 20;

// The requested range, in days.
struct Asked {
  store::BranchKey branch;
  std::string target;
  int64_t first_day = 0;
  int64_t first_span = 0;
  int64_t last_span = 0;
};

absl::StatusOr<std::vector<store::RunHead>> NewestRuns(const store::Reading& reading,
                                                       const v1::GetTrendRequest& request) {
  store::RunFilter filter;
  filter.project = request.project();
  filter.branch = request.branch();
  filter.configuration = request.configuration();
  filter.mainline_only = true;
  filter.counted_only = true;
  filter.limit = 1;
  absl::StatusOr<std::vector<store::RunHead>> newest = reading.ListRunHeads(filter);
  if (!newest.ok() || newest->empty()) return newest;
  // All in one branch and configuration.
  filter.branch = newest->front().branch;
  filter.configuration = newest->front().configuration;
  filter.limit = kNewestRuns;
  return reading.ListRunHeads(filter);
}

Asked AskedOf(const v1::GetTrendRequest& request, const store::RunHead& newest) {
  Asked asked = {{request.project(), newest.branch, newest.configuration}, request.target()};
  const int64_t periods = request.limit() == 0 ? kDefaultPeriods : request.limit();
  const int64_t last_day = DayOf(newest.ordered);
  asked.first_day =
      std::max<int64_t>(0, request.by() == v1::BY_WEEK ? MondayOf(last_day) - 7 * (periods - 1)
                                                       : last_day - (periods - 1));
  asked.first_span = store::SpanOf(absl::UnixEpoch() + absl::Hours(24) * asked.first_day);
  asked.last_span = store::SpanOf(newest.ordered);
  return asked;
}

// The days of a span, with the function's points.
struct ReadDays {
  std::vector<profile::SummaryDay> days;
  std::vector<profile::DayPoint> points;
};

absl::StatusOr<ReadDays> DaysOfSummary(const store::SpanSummary& summary) {
  absl::StatusOr<std::vector<profile::SummaryDay>> days = profile::DecodeSummaryDays(summary.days);
  if (!days.ok()) return days.status();
  std::vector<profile::DayPoint> points(days->size());  // the function is absent
  if (!summary.functions.empty()) {
    absl::StatusOr<std::vector<profile::DayPoint>> of_function =
        profile::DecodeDayPoints(summary.functions.front().payload, days->size());
    if (!of_function.ok()) return of_function.status();
    points = *std::move(of_function);
  }
  return ReadDays{*std::move(days), std::move(points)};
}

absl::StatusOr<ReadDays> DaysOfRuns(const store::Reading& reading, const BlobReader& blobs,
                                    const Asked& asked, int64_t span,
                                    const SeriesIdentity& function) {
  const absl::StatusOr<std::vector<store::RunHead>> runs = reading.ListSpanRuns(asked.branch, span);
  if (!runs.ok()) return runs.status();
  const absl::StatusOr<std::vector<FunctionAtRun>> sums =
      SumsOf(reading, blobs.decoding(), {asked.branch.project, asked.target, *runs}, function);
  if (!sums.ok()) return sums.status();
  std::vector<bool> analysed;
  for (const FunctionAtRun& sum : *sums) analysed.push_back(sum.analysed);
  SpanDays days = DaysOf(*runs, analysed, store::StartOfSpan(span));
  std::vector<profile::DayPoint> points = PointsOfDays(days, *sums);
  return ReadDays{std::move(days.days), std::move(points)};
}

// The first span from `span` on that has runs or a summary, of which `next_summary` is the next.
// Skips the years that may lie before a branch's first run.
absl::StatusOr<int64_t> NextSpan(const store::Reading& reading, const store::BranchKey& branch,
                                 int64_t span, int64_t next_summary) {
  if (span == next_summary) return span;
  const absl::StatusOr<std::optional<int64_t>> with_runs = reading.NextSpanWithRuns(branch, span);
  if (!with_runs.ok()) return with_runs.status();
  return std::min(with_runs->value_or(next_summary), next_summary);
}

absl::StatusOr<std::vector<HistoryDay>> ReadHistory(const store::Reading& reading,
                                                    const BlobReader& blobs, const Asked& asked,
                                                    const SeriesIdentity& function) {
  store::SummaryQuery query = {asked.branch, asked.first_span, asked.last_span, asked.target, {}};
  for (const uint64_t hash : function.hashes) {
    query.functions.push_back(static_cast<int64_t>(hash));
  }
  const absl::StatusOr<std::vector<store::SpanSummary>> summaries = reading.ReadSummaries(query);
  if (!summaries.ok()) return summaries.status();
  auto next = summaries->begin();
  std::vector<HistoryDay> history;
  for (int64_t span = asked.first_span;; ++span) {
    if (absl::Status wanted = blobs.decoding().CheckWanted(); !wanted.ok()) return wanted;
    while (next != summaries->end() && next->span < span) ++next;
    const int64_t next_summary = next == summaries->end() ? asked.last_span + 1 : next->span;
    const absl::StatusOr<int64_t> found = NextSpan(reading, asked.branch, span, next_summary);
    if (!found.ok()) return found.status();
    span = *found;
    if (span > asked.last_span) return history;
    const bool is_summarised = span == next_summary && next->functions.size() <= 1;
    absl::StatusOr<ReadDays> days =
        is_summarised ? DaysOfSummary(*next) : DaysOfRuns(reading, blobs, asked, span, function);
    if (!days.ok()) return days.status();
    const int64_t start = DayOf(store::StartOfSpan(span));
    for (size_t i = 0; i < days->days.size(); ++i) {
      const int64_t day = start + days->days[i].day;
      if (day >= asked.first_day) history.push_back({day, days->days[i], days->points[i]});
    }
  }
}

}  // namespace

absl::StatusOr<v1::GetTrendResponse> GetPeriodTrend(const store::Reading& reading,
                                                    const BlobReader& blobs,
                                                    const v1::GetTrendRequest& request,
                                                    QueryMemory* memory) {
  if (request.limit() > kMostPeriods) {
    return absl::InvalidArgumentError(
        absl::StrCat("limit: at most ", kMostPeriods, " days or weeks"));
  }
  const absl::StatusOr<std::vector<store::RunHead>> newest = NewestRuns(reading, request);
  if (!newest.ok()) return newest.status();
  SeriesIdentity function = NamedFunction(request);
  const absl::StatusOr<std::vector<FunctionAtRun>> of_name =
      SumsOf(reading, blobs.decoding(), {request.project(), request.target(), *newest}, function);
  if (!of_name.ok()) return of_name.status();
  const bool is_named = IsInNewestRuns(*of_name);
  if (!is_named) {
    absl::StatusOr<SeriesIdentity> found = FindFunction(reading, blobs, *newest, request, memory);
    if (!found.ok()) return found.status();
    function = *std::move(found);
  }
  const Asked asked = AskedOf(request, newest->front());
  if (!is_named) {
    const auto first = reading.NextSpanWithRuns(asked.branch, asked.first_span);
    if (!first.ok()) return first.status();
    const auto oldest = reading.ListSpanRuns(asked.branch, first->value_or(asked.last_span));
    if (!oldest.ok()) return oldest.status();
    absl::Status status = AddOldestHashes(reading, blobs, *oldest, request, function, memory);
    if (!status.ok()) return status;
  }
  const absl::StatusOr<std::vector<HistoryDay>> days = ReadHistory(reading, blobs, asked, function);
  if (!days.ok()) return days.status();
  v1::GetTrendResponse response = TrendOf(function);
  response.set_by(request.by());
  for (v1::TrendPeriod& period : PeriodsOf(*days, request.by())) {
    *response.add_periods() = std::move(period);
  }
  MarkLevels(response);
  return response;
}

}  // namespace gprofhub::reporter
