#include "reporter/times/measure_times.h"

#include <gtest/gtest.h>

#include "reporter/matching/match_target.h"
#include "reporter/testing/steady_program.h"

namespace gprofhub::reporter {
namespace {

TEST(MeasureTimes, TakesTheMachinesSpeedOutOfTheTotal) {
  Runs before = Four(SteadyProgram(2000, 2000)), after = before;
  for (profile::ComputedProfile& run : after) {
    run.total_samples *= 1.5;
    for (profile::FunctionCost& function : run.functions) function.self_samples *= 1.5;
  }
  const TargetTimes times =
      MeasureTimes(MatchTarget(before, after), before, {}, after, TimeOptions());
  EXPECT_TRUE(times.speed_known);
  EXPECT_NEAR(times.speed_factor, 1.5, 0.01);
  // 14,500 samples at a hundred per second; the head's time is corrected for machine speed.
  EXPECT_NEAR(times.larger_total, 145, 2);
}

TEST(MeasureTimes, WhatIsCalledMoreOrChangedTellsNothingOfTheMachine) {
  Runs before = Four(SteadyProgram(2000, 2000)), after = before;
  const auto speed_is_known = [&] {
    return MeasureTimes(MatchTarget(before, after), before, {}, after, TimeOptions()).speed_known;
  };
  for (profile::ComputedProfile& run : after) {
    for (profile::FunctionCost& function : run.functions) function.self_samples *= 1.5;
  }
  EXPECT_TRUE(speed_is_known());
  for (profile::ComputedProfile& run : after) {
    for (profile::FunctionCost& function : run.functions) function.calls += 100;
  }
  EXPECT_FALSE(speed_is_known());
  after = before;
  for (profile::ComputedProfile& run : after) {
    for (profile::FunctionCost& function : run.functions) function.self_samples *= 1.5;
  }
  for (Runs* runs : {&before, &after}) {
    for (profile::ComputedProfile& run : *runs) {
      for (profile::FunctionCost& function : run.functions) function.code = runs == &before ? 1 : 2;
    }
  }
  EXPECT_FALSE(speed_is_known());
}

TEST(MeasureTimes, LeavesOutFunctionsWithAHandfulOfSamples) {
  const Runs runs = Four(SteadyProgram(2, 2));
  const MatchedTarget target = MatchTarget(runs, runs);
  const TargetTimes times = MeasureTimes(target, runs, {}, runs, TimeOptions());
  for (const FunctionTime& time : times.self) {
    EXPECT_NE(target.functions[time.function].name, "work");
    EXPECT_NE(target.functions[time.function].name, "leaf");
  }
  EXPECT_EQ(times.self.size(), 11u);
}

TEST(MeasureTimes, TotalsAreMeasuredIfMostSamplesHaveStacks) {
  Runs before = Four(SteadyProgram(2000, 2000)), after = before;
  const auto measured = [&] {
    return MeasureTimes(MatchTarget(before, after), before, {}, after, TimeOptions())
        .totals_measured;
  };
  EXPECT_FALSE(measured());
  for (profile::ComputedProfile& run : before) run.complete_stack_samples = run.total_samples;
  EXPECT_FALSE(measured()) << "half of all are not most";
  after[0].complete_stack_samples = 1;
  EXPECT_TRUE(measured());
}

}  // namespace
}  // namespace gprofhub::reporter
