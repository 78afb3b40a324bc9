#include "reporter/times/findings/time_findings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reporter/matching/match_target.h"
#include "reporter/shifts/cost_shifts.h"
#include "reporter/testing/steady_program.h"
#include "reporter/times/judge_times.h"
#include "reporter/times/measure_times.h"

namespace gprofhub::reporter {
namespace {

double TotalSamples(const Runs& runs) {
  double samples = 0;
  for (const profile::ComputedProfile& run : runs) samples += run.total_samples;
  return samples;
}

std::vector<v1::Finding> Judge(const Runs& before, const Runs& after) {
  const MatchedTarget target = MatchTarget(before, after);
  const TargetTotals totals = {TotalSamples(before), TotalSamples(after)};
  const TimeOptions options;
  CallCosts costs;
  costs.Add(target);
  const CallJudgement calls =
      CallJudge(target, totals, costs, options.minimum_impact).Run({}, FindCostShifts(target));
  TargetTimes times = MeasureTimes(target, before, {}, after, options);
  JudgeTimes({&times}, options);
  const JudgedTimes judged = {target, times, totals, calls, options};
  TimesFound found = FindTimes(judged);
  for (const QuietTime& quiet : found.quiet) {
    found.findings.push_back(DescribeTime(judged, *quiet.time));
    EXPECT_EQ(found.findings.back().verdict(), quiet.verdict);
    EXPECT_EQ(found.findings.back().weight(), quiet.weight);
  }
  return found.findings;
}

const v1::Finding* Find(const std::vector<v1::Finding>& findings, const std::string& function,
                        v1::Finding::Metric metric) {
  for (const v1::Finding& finding : findings) {
    if (finding.function() == function && finding.metric() == metric) return &finding;
  }
  return nullptr;
}

TEST(FindTimes, ASlowerFunctionIsACauseAndTheTimesAboveItAreExplained) {
  const auto findings = Judge(Four(SteadyProgram(2000, 2000)), Four(SteadyProgram(2000, 4000)));
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

TEST(FindTimes, TotalsThatAreEstimatedAreMarkedAndNeverMaterial) {
  for (const bool with_stacks : {false, true}) {
    Runs before = Four(SteadyProgram(2000, 2000)), after = Four(SteadyProgram(2000, 6000));
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

TEST(FindTimes, AsManyMoreCallsExplainALongerTime) {
  const auto called_more =
      Judge(Four(SteadyProgram(2000, 2000)), Four(SteadyProgram(4000, 2000, 200)));
  ASSERT_NE(Find(called_more, "work", v1::Finding::SELF_TIME), nullptr);
  EXPECT_TRUE(Find(called_more, "work", v1::Finding::SELF_TIME)->explained());
  const auto slower = Judge(Four(SteadyProgram(2000, 2000)), Four(SteadyProgram(4000, 2000, 100)));
  EXPECT_FALSE(Find(slower, "work", v1::Finding::SELF_TIME)->explained());
}

// Twenty functions that never change; `work` with the given calls; `_init`, whose calls are not
// counted; and `steady`, with known code. The code of main differs.
ProfileBuilder Jumps(uint64_t works, double init, double steady) {
  ProfileBuilder builder;
  builder.Function("main", 10, 0, "main.cc").Code(static_cast<uint32_t>(init)).Arc("", "main", 1);
  builder.Function("work", static_cast<double>(works), 0, "work.cc").Arc("main", "work", works);
  builder.Function("_init", init, 0, "");
  builder.Function("steady", steady, 0, "steady.cc").Code(7).Arc("main", "steady", 50);
  for (int i = 0; i < 20; ++i) {
    const std::string name = "other" + std::to_string(i);
    builder.Function(name, 1000, 0, name + ".cc").Arc("main", name, 10);
  }
  return builder;
}

TEST(FindTimes, WhereCallsChangedTheyExplainTheTimesOfWhatIsNotCountedOrDidNotChange) {
  for (const bool calls_change : {false, true}) {
    const auto findings =
        Judge(Four(Jumps(200, 1000, 1000)), Four(Jumps(calls_change ? 800 : 200, 2000, 2000)));
    for (const char* const name : {"_init", "steady"}) {
      const v1::Finding* const finding = Find(findings, name, v1::Finding::SELF_TIME);
      ASSERT_NE(finding, nullptr) << name;
      EXPECT_EQ(finding->verdict(), v1::Finding::REGRESSED) << name;
      EXPECT_EQ(finding->explained(), calls_change) << name;
    }
  }
}

TEST(FindTimes, WhatANeighbourLostOnlyMoved) {
  const auto findings = Judge(Four(SteadyProgram(3000, 3000)), Four(SteadyProgram(1500, 4500)));
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
