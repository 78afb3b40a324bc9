#include "reporter/times/judge_times.h"

#include <gtest/gtest.h>

#include <vector>

#include "reporter/times/time_model.h"

namespace gprofhub::reporter {
namespace {

const double kRate = TimeModelOptions().false_discovery_rate;

// A function with the given samples in each of two runs per side.
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
  JudgeTimes({&first, &second}, TimeOptions());
  EXPECT_DOUBLE_EQ(first.self[0].test.p_needed, kRate / 10);
  second.self[2] = Time(1000, 5000);
  JudgeTimes({&first, &second}, TimeOptions());
  EXPECT_DOUBLE_EQ(first.self[0].test.p_needed, kRate * 2 / 10);
  EXPECT_TRUE(second.self[2].test.changed);
  EXPECT_FALSE(second.self[3].test.changed);
  EXPECT_FALSE(first.self[2].test.changed);
}

TEST(JudgeTimes, TotalTimesAreJudgedApart) {
  TargetTimes times;
  times.self.assign(10, Time(1000, 1000));
  times.total.assign(5, Time(1000, 1000));
  times.total[1] = Time(1000, 5000);
  JudgeTimes({&times}, TimeOptions());
  EXPECT_DOUBLE_EQ(times.self[0].test.p_needed, kRate / 10);
  EXPECT_DOUBLE_EQ(times.total[0].test.p_needed, kRate * 2 / 5);
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
  JudgeTimes({&times}, options);
  EXPECT_DOUBLE_EQ(times.self[1].test.p_needed, 0.05 / 10);
  EXPECT_FALSE(times.self[0].test.changed);
}

TEST(JudgeTimes, SeveralTargetsTogetherShowWhatNoneShowsAlone) {
  std::vector<TargetTimes> targets(16);
  for (TargetTimes& target : targets) {
    target.self.assign(6, Time(1000, 1000));
    target.self[0] = Time(60, 80);
    target.self[0].name = "slower";
  }
  std::vector<TargetTimes*> all;
  for (TargetTimes& target : targets) all.push_back(&target);
  JudgeTimes({all[0]}, TimeOptions());
  EXPECT_FALSE(targets[0].self[0].test.changed);
  JudgeTimes(all, TimeOptions());
  EXPECT_TRUE(targets[0].self[0].test.changed);
  EXPECT_GE(targets[0].self[0].pooled_targets, 2u);
  EXPECT_FALSE(targets[0].self[1].test.changed);
}

TEST(JudgeTimes, NoTargetIsNoTrouble) { JudgeTimes({}, TimeOptions()); }

}  // namespace
}  // namespace gprofhub::reporter
