#include "reporter/comparison/measure_times.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "reporter/comparison/match_target.h"
#include "reporter/comparison/time_model.h"
#include "reporter/testing/steady_program.h"

namespace gprofhub::reporter {

namespace {

FunctionTime Time(absl::string_view name, double effect, double standard_error) {
  FunctionTime time;
  time.name = name;
  time.test.effect = effect;
  time.test.error = EffectError(standard_error * standard_error);
  time.test.minimum = std::log(1.05);
  return time;
}

std::vector<PooledTime> Pool(std::vector<FunctionTime>& times) {
  std::vector<FunctionTime*> all;
  for (FunctionTime& time : times) all.push_back(&time);
  return PoolTimes(all);
}

TEST(PoolTimes, AFunctionOfOneTargetIsNotPooled) {
  std::vector<FunctionTime> times = {Time("f", 0.1, 0.1), Time("g", 0.1, 0.1)};
  EXPECT_TRUE(Pool(times).empty());
}

TEST(PoolTimes, TheSurerWeighMore) {
  std::vector<FunctionTime> times = {Time("f", 0.1, 0.1), Time("f", 0.4, 0.2)};
  const std::vector<PooledTime> pools = Pool(times);
  ASSERT_EQ(pools.size(), 1u);
  // Weights 100 and 25.
  EXPECT_NEAR(pools[0].test.effect, (100 * 0.1 + 25 * 0.4) / 125, 1e-12);
  EXPECT_NEAR(StandardError(pools[0].test), 1 / std::sqrt(125), 1e-12);
}

TEST(PoolTimes, ManyTargetsShowWhatNoneShowsAlone) {
  std::vector<FunctionTime> times(16, Time("f", 0.2, 0.1));
  const std::vector<PooledTime> pools = Pool(times);
  EXPECT_LT(pools[0].test.p, 1e-6);
}

TEST(PoolTimes, WhatBuildsDifferByStays) {
  std::vector<FunctionTime> times(4, Time("f", 0.2, 0.1));
  for (FunctionTime& time : times) {
    time.test.error = EffectError(0.0025);
    time.test.build_variance = 0.0075;
  }
  const TimeTest pool = Pool(times)[0].test;
  EXPECT_NEAR(pool.build_variance, 0.0075 / 4, 1e-12);
  EXPECT_NEAR(StandardError(pool), std::sqrt(0.01 / 4), 1e-12);
}

TEST(PoolTimes, WhatVariesMuchInOneTargetDoesInOthers) {
  std::array<EffectError::Part, EffectError::kParts> parts;
  parts[0] = {0.9, 0.01};
  parts[1] = {0.1, 0.25};
  std::vector<FunctionTime> times(4, Time("f", 0.2, 0.1));
  for (FunctionTime& time : times) time.test.error = EffectError(parts);
  const EffectError pool = Pool(times)[0].test.error;
  EXPECT_NEAR(pool.parts()[0].variance, 0.01 / 4, 1e-12);
  EXPECT_NEAR(pool.parts()[1].variance, 0.25 / 4, 1e-12);
  EXPECT_NEAR(pool.parts()[1].weight, 0.1, 1e-12);
}

TEST(PoolTimes, WhatDoesNotMatterIsLeftOut) {
  std::vector<FunctionTime> times = {Time("f", 0.1, 0.1), Time("f", 0.4, 0.2)};
  times[0].test.matters = false;
  EXPECT_TRUE(Pool(times).empty());
}

TEST(TellMembers, ThoseThatAgreeStandOutWithThePoolsEffect) {
  std::vector<FunctionTime> times = {Time("f", 0.15, 0.1), Time("f", 0.25, 0.1),
                                     Time("f", -0.1, 0.1), Time("f", 0.9, 0.1)};
  times[3].test.changed = true;
  std::vector<PooledTime> pools = Pool(times);
  TellMembers(pools[0]);
  EXPECT_FALSE(times[0].test.changed) << "the pool does not stand out";
  pools[0].test.changed = true;
  TellMembers(pools[0]);
  EXPECT_TRUE(times[0].test.changed);
  EXPECT_EQ(times[0].pooled_targets, 4u);
  EXPECT_EQ(times[0].test.effect, pools[0].test.effect);
  EXPECT_TRUE(times[1].test.changed);
  EXPECT_FALSE(times[2].test.changed) << "it went the other way";
  EXPECT_EQ(times[3].test.effect, 0.9) << "it stands out itself";
  EXPECT_EQ(times[3].pooled_targets, 0u);
}

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

// Changed code may call libraries more often.
TEST(MeasureTimes, WhatIsNotCountedTellsOfTheMachineOnlyWhereNoCodeChanged) {
  ProfileBuilder program;
  program.Function("main", 500, 10000).Arc("", "main", 1);
  for (const char* library :
       {"[libc.so.6]", "[libm.so.6]", "[libz.so.1]", "_init", "[libcrypto]"}) {
    program.Function(library, 2000, 0);
  }
  Runs before = Four(program), after = before;
  for (profile::ComputedProfile& run : after) {
    for (profile::FunctionCost& function : run.functions) function.self_samples *= 1.5;
  }
  const auto speed_is_known = [&] {
    return MeasureTimes(MatchTarget(before, after), before, {}, after, TimeOptions()).speed_known;
  };
  EXPECT_TRUE(speed_is_known());
  for (Runs* runs : {&before, &after}) {
    for (profile::ComputedProfile& run : *runs) run.functions[0].code = runs == &before ? 1 : 2;
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
