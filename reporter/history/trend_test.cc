#include "reporter/history/trend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "profile/codec/series.h"
#include "reporter/testing/profile_builder.h"
#include "store/records/summaries.h"

namespace gprofhub::reporter {

namespace {

profile::ComputedProfile Names() {
  ProfileBuilder builder;
  builder.Function("_ZN6Parser4NextEi").Function("_ZN6Parser4NextEv").Function("_Z5parsei");
  builder.Function("jsonAppendChar").Function("jsonAppend").Function("main");
  return builder.Build();
}

TEST(ResolveFunction, StaticFunctionsOfOneNameAreSummed) {
  ProfileBuilder one, two;
  one.Function("helper", 1, 0, "a.c", 1, true);
  two.Function("helper", 1, 0, "b.c", 1, true);
  const auto identity = ResolveFunction({one.Build(), two.Build()}, "helper");
  ASSERT_TRUE(identity.ok()) << identity.status();
  EXPECT_EQ(identity->hashes, (std::set<uint64_t>{profile::FunctionHash("helper", "a.c"),
                                                  profile::FunctionHash("helper", "b.c")}));
}

TEST(AddHashes, KnowsAStaticFunctionWhoseFileMoved) {
  ProfileBuilder before;
  before.Function("helper", 1, 0, "old/a.c", 1, true).Function("other", 1, 0, "old/a.c", 2, true);
  SeriesIdentity identity{"helper", {profile::FunctionHash("helper", "new/a.c")}};
  AddHashes(before.Build(), identity);
  EXPECT_EQ(identity.hashes, (std::set<uint64_t>{profile::FunctionHash("helper", "new/a.c"),
                                                 profile::FunctionHash("helper", "old/a.c")}));
}

struct ResolveCase {
  const char* text;
  const char* linkage;
};

class ResolveName : public testing::TestWithParam<ResolveCase> {};

TEST_P(ResolveName, ToTheOnlyFunction) {
  const auto name = ResolveFunction({Names()}, GetParam().text);
  ASSERT_TRUE(name.ok()) << name.status();
  EXPECT_EQ(name->function, GetParam().linkage);
  EXPECT_EQ(name->hashes, std::set<uint64_t>{profile::FunctionHash(GetParam().linkage, "")});
}

INSTANTIATE_TEST_SUITE_P(
    Cases, ResolveName,
    testing::Values(ResolveCase{"_ZN6Parser4NextEi", "_ZN6Parser4NextEi"},
                    ResolveCase{"Parser::Next(int)", "_ZN6Parser4NextEi"},
                    ResolveCase{"parse", "_Z5parsei"},        // without parameters
                    ResolveCase{"jsonAppend", "jsonAppend"},  // not jsonAppendChar
                    ResolveCase{"AppendCh", "jsonAppendChar"}, ResolveCase{"mai", "main"}));

TEST(ResolveFunction, ListsTheCandidatesOfAnAmbiguousName) {
  const auto name = ResolveFunction({Names()}, "Parser::Next");
  EXPECT_EQ(name.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(name.status().message(),
            "function \"Parser::Next\" is ambiguous: 2 fit. Give the whole name of one, a longer "
            "part of it, or a --target; the likeliest are\n"
            "  Parser::Next()\n  Parser::Next(int)");
}

// Order: exact name, not in a test file, then cost and calls.
TEST(ResolveFunction, ListsTheLikeliestCandidatesFirst) {
  ProfileBuilder builder;
  builder.Function("_ZN11NextFixtureC2Ev", 900, 0, "parser/next_test.cc");
  builder.Function("_ZN6Reader4NextEv", 5, 0, "reader_test.cc");
  builder.Function("NextOften", 0).Function("NextSeldom", 0);
  builder.Function("_ZN6Parser4NextEi", 10, 20).Function("_ZN5Lexer4NextIiEEvT_", 10, 80);
  builder.Arc("", "NextSeldom", 1).Arc("", "NextOften", 2);
  const auto name = ResolveFunction({builder.Build()}, "Next");
  EXPECT_EQ(
      name.status().message(),
      "function \"Next\" is ambiguous: 6 fit. Give the whole name of one, a longer part of it, "
      "or a --target; the likeliest are\n"
      "  void Lexer::Next<int>(int)\n  Parser::Next(int)\n  Reader::Next()\n"
      "  NextOften\n  NextSeldom\n  NextFixture::NextFixture()");
}

TEST(ResolveFunction, SaysHowManyItDoesNotList) {
  ProfileBuilder builder;
  for (int i = 0; i < 48; ++i) builder.Function("step" + std::to_string(i));
  const std::string message(ResolveFunction({builder.Build()}, "step").status().message());
  EXPECT_NE(message.find("ambiguous: 48 fit."), std::string::npos) << message;
  EXPECT_NE(message.find("\n  … and 38 more"), std::string::npos) << message;
}

TEST(ResolveFunction, UnknownNamesAreNotFound) {
  EXPECT_EQ(ResolveFunction({Names()}, "nothing").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ResolveFunction({}, "main").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ResolveFunction({Names()}, "").status().code(), absl::StatusCode::kInvalidArgument);
}

store::RunHead RunAt(int64_t id, int64_t committed_seconds) {
  store::RunHead run;
  run.id = id;
  run.commit = "c" + std::to_string(id);
  run.branch = "main";
  run.ordered = absl::FromUnixSeconds(committed_seconds);
  return run;
}

void AddTo(FunctionAtRun& sum, uint64_t calls, double self, uint32_t repetitions = 1) {
  sum.analysed = true;
  AddPoint(100, repetitions, {profile::FunctionHash("f", ""), calls, self, self * 2}, sum);
}

TEST(BuildTrend, OldestFirstPerExecutionAndSummedOverTargets) {
  std::vector<FunctionAtRun> sums(4);
  sums[0].analysed = true;
  AddTo(sums[2], 100, 400, 2);
  AddTo(sums[2], 7, 100);
  AddTo(sums[3], 100, 400);
  const v1::GetTrendResponse trend =
      BuildTrend({"f", {profile::FunctionHash("f", "")}},
                 {RunAt(4, 40), RunAt(3, 30), RunAt(2, 20), RunAt(1, 10)}, sums);
  ASSERT_EQ(trend.points_size(), 3) << "run 3 was not analysed";
  EXPECT_EQ(trend.points(0).run_id(), "1");
  EXPECT_EQ(trend.points(0).unix_ms(), 10000);
  EXPECT_EQ(trend.points(0).calls(), 100);
  EXPECT_DOUBLE_EQ(trend.points(0).self_seconds(), 4);
  EXPECT_DOUBLE_EQ(trend.points(0).total_seconds(), 8);
  EXPECT_DOUBLE_EQ(trend.points(0).self_error_seconds(), 0.2);
  EXPECT_DOUBLE_EQ(trend.points(0).total_error_seconds(), std::sqrt(0.08));
  EXPECT_EQ(trend.points(1).calls(), 57);
  EXPECT_DOUBLE_EQ(trend.points(1).self_seconds(), 3);
  EXPECT_DOUBLE_EQ(trend.points(1).self_error_seconds(), std::sqrt(0.01 + 0.01));
  EXPECT_EQ(trend.points(2).run_id(), "4");
  EXPECT_EQ(trend.points(2).calls(), 0);
}

store::RunHead PullRequestRun(int64_t id, int64_t committed_seconds) {
  store::RunHead run = RunAt(id, committed_seconds);
  run.branch = "feature";
  run.is_mainline = false;
  return run;
}

TEST(BuildTrend, MarksWhereANewLevelBegins) {
  std::vector<store::RunHead> runs;  // newest first
  std::vector<FunctionAtRun> sums;
  for (int64_t id = 1; id <= 12; ++id) {
    runs.insert(runs.begin(), RunAt(id, id * 10));
    AddTo(*sums.emplace(sums.begin()), id < 5 ? 100 : id < 12 ? 150 : 160, id < 8 ? 2000 : 3000);
  }
  // Between the runs of main, with another count; not on the line.
  runs.insert(runs.begin() + 6, PullRequestRun(20, 65));
  AddTo(*sums.emplace(sums.begin() + 6), 999, 9000);
  const v1::GetTrendResponse trend =
      BuildTrend({"f", {profile::FunctionHash("f", "")}}, runs, sums, /*separate=*/20);
  ASSERT_EQ(trend.points_size(), 13);
  for (const v1::TrendPoint& point : trend.points()) {
    EXPECT_EQ(point.calls_change(), point.run_id() == "5"    ? v1::CHANGED
                                    : point.run_id() == "12" ? v1::CHANGED_UNCONFIRMED
                                                             : v1::NO_CHANGE)
        << point.run_id();
    EXPECT_EQ(point.self_change(), point.run_id() == "8" ? v1::CHANGED : v1::NO_CHANGE)
        << point.run_id();
  }
}

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

using ::testing::ElementsAre;
using ::testing::IsEmpty;

v1::GetTrendResponse TrendOf(const std::vector<double>& calls, const std::vector<double>& self) {
  v1::GetTrendResponse trend;
  for (size_t i = 0; i < calls.size(); ++i) {
    v1::TrendPeriod& period = *trend.add_periods();
    period.mutable_calls()->set_median(calls[i]);
    period.mutable_self_seconds()->set_median(self[i]);
  }
  return trend;
}

// Periods at which a level of calls begins.
std::vector<int> CallsMarked(const v1::GetTrendResponse& trend) {
  std::vector<int> marked;
  for (int i = 0; i < trend.periods_size(); ++i) {
    if (trend.periods(i).calls_change() != v1::NO_CHANGE) marked.push_back(i);
  }
  return marked;
}

// The same for self time.
std::vector<int> SelfMarked(const v1::GetTrendResponse& trend) {
  std::vector<int> marked;
  for (int i = 0; i < trend.periods_size(); ++i) {
    if (trend.periods(i).self_change() != v1::NO_CHANGE) marked.push_back(i);
  }
  return marked;
}

// Medians that scatter by 3% around `level`, and around `later` from the period `step` on.
std::vector<double> Scattering(uint32_t seed, size_t periods, double level, double later,
                               size_t step) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(1, 0.03);
  std::vector<double> values;
  for (size_t i = 0; i < periods; ++i) values.push_back((i < step ? level : later) * noise(random));
  return values;
}

TEST(MarkLevels, MarksEachPeriodAtWhichExactCountsHaveANewLevel) {
  v1::GetTrendResponse trend = TrendOf({10, 10, 12, 12, 15, 12, 12, 9}, std::vector<double>(8, 0));
  MarkLevels(trend);
  EXPECT_THAT(CallsMarked(trend), ElementsAre(2, 7)) << "an odd week is no level";
  EXPECT_EQ(trend.periods(2).calls_change(), v1::CHANGED);
  EXPECT_EQ(trend.periods(7).calls_change(), v1::CHANGED_UNCONFIRMED) << "nothing has followed";
  EXPECT_THAT(SelfMarked(trend), IsEmpty()) << "no sample, no level";
}

TEST(MarkLevels, AStepWithinAPeriodIsThatOfTheNext) {
  v1::GetTrendResponse trend = TrendOf({10, 10, 11, 12, 12, 12}, std::vector<double>(6, 0));
  MarkLevels(trend);
  EXPECT_THAT(CallsMarked(trend), ElementsAre(3));
}

TEST(MarkLevels, FindsAStepOfTimesWhateverTheirSize) {
  for (const double level : {4e-6, 0.05, 300.0}) {
    v1::GetTrendResponse trend =
        TrendOf(std::vector<double>(60, 1), Scattering(1, 60, level, level * 1.2, 33));
    MarkLevels(trend);
    EXPECT_THAT(SelfMarked(trend), ElementsAre(33)) << level;
    EXPECT_THAT(CallsMarked(trend), IsEmpty());
  }
}

// The guarantee is at most one in a hundred (ChangePointOptions::false_alarms).
TEST(MarkLevels, ChanceMakesNoLevel) {
  int alarms = 0;
  for (uint32_t seed = 0; seed < 300; ++seed) {
    const size_t periods = 10 + seed % 150;
    v1::GetTrendResponse trend = TrendOf(Scattering(seed + 1000, periods, 500, 500, 0),
                                         Scattering(seed, periods, 0.05, 0.05, 0));
    MarkLevels(trend);
    if (!SelfMarked(trend).empty()) ++alarms;
    if (!CallsMarked(trend).empty()) ++alarms;
  }
  EXPECT_LE(alarms, 6);
}

TEST(MarkLevels, OfNothingOrOnePeriodNothingIsMarked) {
  v1::GetTrendResponse none;
  MarkLevels(none);
  v1::GetTrendResponse one = TrendOf({5}, {0.1});
  MarkLevels(one);
  EXPECT_THAT(CallsMarked(one), IsEmpty());
}

}  // namespace

}  // namespace gprofhub::reporter
