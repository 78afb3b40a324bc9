#include "reporter/history/period_levels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace gprofhub::reporter {
namespace {

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
