#include "reporter/history/day_summaries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "store/records/summaries.h"

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A Monday.
const absl::Time kMonday = absl::FromCivil(absl::CivilDay(2026, 6, 1), absl::UTCTimeZone());

store::RunHead RunAt(int64_t id, absl::Duration after) {
  store::RunHead run;
  run.id = id;
  run.ordered = kMonday + after;
  return run;
}

HistoryDay DayAfter(int days, double calls, uint32_t runs = 1) {
  HistoryDay day;
  day.day = DayOf(kMonday) + days;
  day.summary = {0, runs, 100 + days};
  day.point.calls = {calls - 1, calls, calls + 1};
  return day;
}

TEST(DaySummariesTest, ADayHasItsAnalysedRunsAndTheLastOfThem) {
  // Newest first.
  const std::vector<store::RunHead> heads = {
      RunAt(9, absl::Hours(47)), RunAt(4, absl::Hours(25)), RunAt(7, absl::Hours(24)),
      RunAt(2, absl::Hours(3)),  RunAt(1, -absl::Hours(3)),
  };
  const SpanDays days = DaysOf(heads, {false, true, true, true, true}, kMonday);
  ASSERT_THAT(days.days, SizeIs(2));
  EXPECT_EQ(days.days[0].day, 0u) << "what is older counts for the first day";
  EXPECT_EQ(days.days[0].runs, 2u);
  EXPECT_EQ(days.days[0].last_run_id, 2);
  EXPECT_EQ(days.days[1].day, 1u);
  EXPECT_EQ(days.days[1].last_run_id, 4);
  EXPECT_THAT(days.runs, ElementsAre(ElementsAre(3, 4), ElementsAre(1, 2)));
}

TEST(DaySummariesTest, ARunWithoutTheFunctionCountsAsZero) {
  const std::vector<store::RunHead> heads = {RunAt(3, absl::Hours(3)), RunAt(2, absl::Hours(2)),
                                             RunAt(1, absl::Hours(1))};
  std::vector<FunctionAtRun> sums(3);
  sums[0].calls = 10;
  sums[1].calls = 30;
  sums[0].self_seconds = 0.5;
  const auto points = PointsOfDays(DaysOf(heads, {true, true, true}, kMonday), sums);
  ASSERT_THAT(points, SizeIs(1));
  EXPECT_EQ(points[0].calls.least, 0);
  EXPECT_EQ(points[0].calls.median, 10);
  EXPECT_EQ(points[0].calls.most, 30);
  EXPECT_EQ(points[0].self_seconds.median, 0);
  EXPECT_EQ(points[0].self_seconds.most, 0.5);
}

TEST(DaySummariesTest, WeeksBeginOnMondays) {
  EXPECT_EQ(MondayOf(DayOf(kMonday)), DayOf(kMonday));
  EXPECT_EQ(MondayOf(DayOf(kMonday) + 6), DayOf(kMonday));
  EXPECT_EQ(MondayOf(DayOf(kMonday) + 7), DayOf(kMonday) + 7);
  EXPECT_EQ(store::kFirstSpanDay, MondayOf(store::kFirstSpanDay));
}

TEST(DaySummariesTest, APeriodIsADayOrAWeekThatHasRuns) {
  const std::vector<HistoryDay> days = {DayAfter(0, 100, 3), DayAfter(2, 50, 2), DayAfter(6, 70),
                                        DayAfter(7, 10)};
  const auto by_day = PeriodsOf(days, v1::BY_DAY);
  ASSERT_THAT(by_day, SizeIs(4));
  EXPECT_EQ(by_day[1].unix_ms(), absl::ToUnixMillis(kMonday + absl::Hours(48)));
  EXPECT_EQ(by_day[1].runs(), 2u);
  EXPECT_EQ(by_day[1].calls().median(), 50);
  const auto by_week = PeriodsOf(days, v1::BY_WEEK);
  ASSERT_THAT(by_week, SizeIs(2));
  EXPECT_EQ(by_week[0].unix_ms(), absl::ToUnixMillis(kMonday));
  EXPECT_EQ(by_week[0].runs(), 6u);
  EXPECT_EQ(by_week[0].last_run_id(), "106");
  EXPECT_EQ(by_week[0].calls().least(), 49);
  EXPECT_EQ(by_week[0].calls().median(), 70);
  EXPECT_EQ(by_week[0].calls().most(), 101);
  EXPECT_EQ(by_week[1].last_run_id(), "107");
  EXPECT_THAT(PeriodsOf({}, v1::BY_WEEK), IsEmpty());
}

}  // namespace
}  // namespace gprofhub::reporter
