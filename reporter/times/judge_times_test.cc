#include "reporter/times/judge_times.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

using Runs = std::vector<profile::ComputedProfile>;

// main → work → leaf and main → steady0 … steady9, each of these with 1,000 samples.
ProfileBuilder Program(double work, double leaf, uint64_t calls = 100) {
  ProfileBuilder builder;
  builder.Function("main", 500, 10000 + work + leaf).Arc("", "main", 1);
  builder.Function("work", work, leaf, "work.cc").Arc("main", "work", calls);
  builder.Function("leaf", leaf, 0, "leaf.cc").Arc("work", "leaf", 100);
  for (int i = 0; i < 10; ++i) {
    const std::string name = "steady" + std::to_string(i);
    builder.Function(name, 1000, 0, name + ".cc").Arc("main", name, 5);
  }
  return builder;
}

Runs Four(const ProfileBuilder& builder) { return Runs(4, builder.Build()); }

double TotalSamples(const Runs& runs) {
  double samples = 0;
  for (const profile::ComputedProfile& run : runs) samples += run.total_samples;
  return samples;
}

std::vector<v1::Finding> Judge(const Runs& before, const Runs& after) {
  const MatchedTarget target = Match(before, after);
  const TargetTotals totals = {TotalSamples(before), TotalSamples(after)};
  const TimeOptions options;
  const CallJudgement calls =
      JudgeCalls(target, totals, FindCostShifts(target), options.minimum_impact);
  TargetTimes times = MeasureTimes(target, before, {}, after, options);
  const auto p = JudgeAll({&times}, options);
  return TimeFindings(target, times, totals, calls, p, options);
}

const v1::Finding* Find(const std::vector<v1::Finding>& findings, const std::string& function,
                        v1::Finding::Metric metric) {
  for (const v1::Finding& finding : findings) {
    if (finding.function() == function && finding.metric() == metric) return &finding;
  }
  return nullptr;
}

TEST(MeasureTimes, TakesTheMachinesSpeedOutOfTheTotal) {
  Runs before = Four(Program(2000, 2000)), after = before;
  for (profile::ComputedProfile& run : after) {
    run.total_samples *= 1.5;
    for (profile::FunctionCost& function : run.functions) function.self_samples *= 1.5;
  }
  const TargetTimes times = MeasureTimes(Match(before, after), before, {}, after, TimeOptions());
  EXPECT_TRUE(times.speed_known);
  EXPECT_NEAR(times.speed_factor, 1.5, 0.01);
  // 14,500 samples at a hundred a second; the head's time with its slowness taken out.
  EXPECT_NEAR(times.larger_total, 145, 2);
}

TEST(MeasureTimes, LeavesOutFunctionsWithAHandfulOfSamples) {
  const Runs before = Four(Program(2, 2)), after = before;
  const MatchedTarget target = Match(before, after);
  const TargetTimes times = MeasureTimes(target, before, {}, after, TimeOptions());
  for (const FunctionTime& time : times.self) {
    EXPECT_NE(target.functions[time.function].name, "work");
    EXPECT_NE(target.functions[time.function].name, "leaf");
  }
  EXPECT_EQ(times.self.size(), 11u);
}

TEST(MeasureTimes, TotalsAreMeasuredIfMostSamplesHaveStacks) {
  Runs before = Four(Program(2000, 2000)), after = before;
  const auto measured = [&] {
    return MeasureTimes(Match(before, after), before, {}, after, TimeOptions()).totals_measured;
  };
  EXPECT_FALSE(measured());
  for (profile::ComputedProfile& run : before) run.complete_stack_samples = run.total_samples;
  EXPECT_FALSE(measured()) << "half of all are not most";
  after[0].complete_stack_samples = 1;
  EXPECT_TRUE(measured());
}

TEST(TimeFindings, ASlowerFunctionIsACauseAndTheTimesAboveItAreExplained) {
  const auto findings = Judge(Four(Program(2000, 2000)), Four(Program(2000, 4000)));
  const v1::Finding* const leaf = Find(findings, "leaf", v1::Finding::SELF_TIME);
  ASSERT_NE(leaf, nullptr);
  EXPECT_EQ(leaf->verdict(), v1::Finding::REGRESSED);
  EXPECT_TRUE(leaf->material());
  EXPECT_FALSE(leaf->explained());
  EXPECT_NEAR(leaf->after(), 40, 0.5) << "seconds per execution";
  const v1::Finding* const work = Find(findings, "work", v1::Finding::TOTAL_TIME);
  ASSERT_NE(work, nullptr);
  EXPECT_EQ(work->verdict(), v1::Finding::REGRESSED);
  EXPECT_TRUE(work->explained()) << "by leaf";
}

TEST(TimeFindings, TotalsThatAreEstimatedAreMarkedAndNeverMaterial) {
  for (const bool with_stacks : {false, true}) {
    Runs before = Four(Program(2000, 2000)), after = Four(Program(2000, 6000));
    for (Runs* side : {&before, &after}) {
      for (profile::ComputedProfile& run : *side) {
        run.complete_stack_samples = with_stacks ? run.total_samples : 0;
      }
    }
    const auto findings = Judge(before, after);
    const v1::Finding* const work = Find(findings, "work", v1::Finding::TOTAL_TIME);
    ASSERT_NE(work, nullptr);
    EXPECT_EQ(work->verdict(), v1::Finding::REGRESSED);
    EXPECT_EQ(work->measured(), with_stacks);
    EXPECT_EQ(work->material(), with_stacks);
    EXPECT_FALSE(Find(findings, "leaf", v1::Finding::SELF_TIME)->measured());
  }
}

TEST(TimeFindings, AsManyMoreCallsExplainALongerTime) {
  const auto called_more = Judge(Four(Program(2000, 2000)), Four(Program(4000, 2000, 200)));
  ASSERT_NE(Find(called_more, "work", v1::Finding::SELF_TIME), nullptr);
  EXPECT_TRUE(Find(called_more, "work", v1::Finding::SELF_TIME)->explained());
  const auto slower = Judge(Four(Program(2000, 2000)), Four(Program(4000, 2000, 100)));
  EXPECT_FALSE(Find(slower, "work", v1::Finding::SELF_TIME)->explained());
}

TEST(TimeFindings, WhatANeighbourLostOnlyMoved) {
  const auto findings = Judge(Four(Program(3000, 3000)), Four(Program(1500, 4500)));
  for (const char* const name : {"work", "leaf"}) {
    const v1::Finding* const finding = Find(findings, name, v1::Finding::SELF_TIME);
    ASSERT_NE(finding, nullptr) << name;
    EXPECT_EQ(finding->verdict(), v1::Finding::SHIFTED) << name;
    EXPECT_EQ(finding->shift().kind(), v1::Shift::TIME_MOVED) << name;
    EXPECT_FALSE(finding->material()) << name;
  }
}

}  // namespace
}  // namespace gprofhub::reporter
