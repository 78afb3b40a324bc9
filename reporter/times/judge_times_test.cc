#include "reporter/times/judge_times.h"

#include <gtest/gtest.h>

#include <utility>

#include "reporter/times/time_model.h"

namespace gprofhub::reporter {
namespace {

// A function with so many samples in each of two runs a side.
FunctionTime Time(double before, double after) {
  FunctionTime time;
  time.test.before_samples = 2 * before;
  time.test.after_samples = 2 * after;
  time.test.before_exposure = time.test.after_exposure = 200;
  time.test.before_runs = time.test.after_runs = 2;
  time.test.spread_df = 2;
  return time;
}

TEST(JudgeTimes, OwnTimesOfAllTargetsShareOneBar) {
  TargetTimes first, second;
  first.self.assign(6, Time(1000, 1000));
  second.self.assign(4, Time(1000, 1000));
  EXPECT_DOUBLE_EQ(JudgeTimes({&first, &second}, TimeOptions()).first, 0.01 / 10);
  second.self[2] = Time(1000, 5000);
  EXPECT_DOUBLE_EQ(JudgeTimes({&first, &second}, TimeOptions()).first, 0.01 * 2 / 10);
  EXPECT_TRUE(second.self[2].test.changed);
  EXPECT_FALSE(second.self[3].test.changed);
  EXPECT_FALSE(first.self[2].test.changed);
}

TEST(JudgeTimes, TotalTimesAreJudgedApart) {
  TargetTimes times;
  times.self.assign(10, Time(1000, 1000));
  times.total.assign(5, Time(1000, 1000));
  times.total[1] = Time(1000, 5000);
  const std::pair<double, double> p = JudgeTimes({&times}, TimeOptions());
  EXPECT_DOUBLE_EQ(p.first, 0.01 / 10);
  EXPECT_DOUBLE_EQ(p.second, 0.01 * 2 / 5);
  EXPECT_TRUE(times.total[1].test.changed);
  EXPECT_FALSE(times.self[1].test.changed);
}

TEST(JudgeTimes, TheModelsOptionsHold) {
  TargetTimes times;
  times.self.assign(10, Time(1e6, 1e6));
  times.self[0] = Time(1e6, 1.5e6);
  TimeOptions options;
  options.model.minimum_effect_percent = 60;
  options.model.false_discovery_rate = 0.05;
  EXPECT_DOUBLE_EQ(JudgeTimes({&times}, options).first, 0.05 / 10);
  EXPECT_FALSE(times.self[0].test.changed);
}

TEST(JudgeTimes, NoTargetIsNoTrouble) {
  const std::pair<double, double> p = JudgeTimes({}, TimeOptions());
  EXPECT_DOUBLE_EQ(p.first, 0.01);
  EXPECT_DOUBLE_EQ(p.second, 0.01);
}

}  // namespace
}  // namespace gprofhub::reporter
