#include "reporter/comparison/time_findings.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "reporter/comparison/match_target.h"
#include "reporter/comparison/measure_times.h"
#include "reporter/comparison/moved_calls.h"
#include "reporter/testing/steady_program.h"

namespace gprofhub::reporter {

namespace {

// f calls g. At the head, if `inlined`, g is inlined into f. f took 100 samples, and `f_after` at
// the head; g took 60, and `g_after`.
class InlinedTimesTest : public ::testing::Test {
 protected:
  std::optional<v1::Shift> Find(double f_after, double g_after, bool inlined = true) {
    target_.knows_inlined = true;
    target_.functions.resize(2);
    SetFunction(0, "f", 100, f_after);
    SetFunction(1, "g", 60, g_after);
    if (inlined) target_.functions[0].after.inlined = {1};
    FunctionTime time;
    time.function = 0;
    time.test.before_samples = 100;
    time.test.after_samples = f_after;
    time.test.before_exposure = time.test.after_exposure = 1000;
    InlinedTimes times(target_);
    if (calls_moved_) times.AddShift({1, 0});
    return times.Find(time);
  }

 private:
  void SetFunction(size_t i, const std::string& name, double before, double after) {
    FunctionPair& pair = target_.functions[i];
    pair.name = target_.texts.Keep(name);
    pair.before.self_samples = before;
    pair.after.self_samples = after;
    pair.before.calls.present = pair.after.calls.present = true;
  }
  MatchedTarget target_;

 protected:
  bool calls_moved_ = false;
};

TEST_F(InlinedTimesTest, TimeOfWhatIsInlinedNowMovedIntoItsCaller) {
  const std::optional<v1::Shift> shift = Find(155, 8);
  ASSERT_TRUE(shift.has_value());
  EXPECT_EQ(shift->kind(), v1::Shift::TIME_MOVED);
  ASSERT_EQ(shift->with_size(), 1);
  EXPECT_EQ(shift->with(0), "g");
}

TEST_F(InlinedTimesTest, MoreThanWhatWasInlinedIsAChange) {
  EXPECT_FALSE(Find(400, 0).has_value());
}

TEST_F(InlinedTimesTest, TimeMovesOnlyWhereSomethingIsInlinedOtherwise) {
  EXPECT_FALSE(Find(155, 8, false).has_value());
}

// By hand. The samples may be too few for a test of their own.
TEST_F(InlinedTimesTest, TimeMovesWithTheCalls) {
  calls_moved_ = true;
  EXPECT_TRUE(Find(155, 0, false).has_value());
  EXPECT_FALSE(Find(400, 0, false).has_value());
}

TEST_F(InlinedTimesTest, WhatTookLongerTooGaveNothing) { EXPECT_FALSE(Find(155, 80).has_value()); }

FunctionTime Time(uint32_t function, double before, double after) {
  FunctionTime time;
  time.function = function;
  time.test.before_samples = before;
  time.test.after_samples = after;
  time.test.before_exposure = time.test.after_exposure = 100;
  return time;
}

// 0 calls 1. 2 has a file of its own; 3 has the same file as 0.
MatchedTarget Target() {
  MatchedTarget target;
  for (const char* name : {"caller", "callee", "far", "sibling"}) {
    FunctionPair& function = target.functions.emplace_back();
    function.name = name;
    function.after.calls.present = true;
    function.after.file = target.texts.Keep(std::string(name) + ".cc");
  }
  target.functions[3].after.file = "caller.cc";
  ArcPair& arc = target.arcs.emplace_back();
  arc.caller = 0;
  arc.callee = 1;
  return target;
}

TEST(MovedTimes, ANeighbourThatLostAsMuchMakesUpForIt) {
  const MatchedTarget target = Target();
  const std::vector<FunctionTime> times = {Time(0, 8000, 2000), Time(1, 2000, 8000)};
  MovedTimes moved(target, times);
  const std::optional<v1::Shift> shift = moved.Find(times[1]);
  ASSERT_TRUE(shift.has_value());
  EXPECT_EQ(shift->kind(), v1::Shift::TIME_MOVED);
  ASSERT_EQ(shift->with_size(), 1);
  EXPECT_EQ(shift->with(0), "caller");
}

TEST(MovedTimes, AFunctionOfTheSameFileDoesToo) {
  const MatchedTarget target = Target();
  const std::vector<FunctionTime> times = {Time(0, 2000, 8000), Time(3, 8000, 2000)};
  MovedTimes moved(target, times);
  const std::optional<v1::Shift> shift = moved.Find(times[0]);
  ASSERT_TRUE(shift.has_value());
  EXPECT_EQ(shift->with(0), "sibling");
}

TEST(MovedTimes, FunctionsAmongWhichCallsMovedDoTogether) {
  const MatchedTarget target = Target();
  const std::vector<FunctionTime> times = {Time(0, 5000, 500), Time(2, 5000, 500),
                                           Time(3, 10, 9010)};
  MovedTimes moved(target, times);
  EXPECT_FALSE(moved.Find(times[1]).has_value());
  moved.AddShift({3, 0});
  moved.AddShift({3, 2});
  const std::optional<v1::Shift> shift = moved.Find(times[1]);
  ASSERT_TRUE(shift.has_value());
  EXPECT_EQ(shift->with(0), "sibling");
}

TEST(MovedTimes, AFunctionFarAwayDoesNot) {
  const MatchedTarget target = Target();
  const std::vector<FunctionTime> times = {Time(0, 2000, 8000), Time(2, 8000, 2000)};
  EXPECT_FALSE(MovedTimes(target, times).Find(times[0]).has_value());
}

TEST(MovedTimes, HalfOfTheChangeAtMostMayRemain) {
  const MatchedTarget target = Target();
  const std::vector<FunctionTime> little = {Time(0, 8000, 6000), Time(1, 2000, 8000)};
  EXPECT_FALSE(MovedTimes(target, little).Find(little[1]).has_value());
}

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
      // Without changed calls, changed code leads to the uncounted time (library_times_test.cc).
      const bool is_uncounted = name == std::string("_init");
      EXPECT_EQ(finding->explained(), calls_change || is_uncounted) << name;
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
