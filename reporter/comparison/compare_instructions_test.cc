// Instructions counted in addition to time (GPROFHUB_EVENTS=instructions). The numbers are
// synthetic.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "reporter/comparison/compare_sides.h"
#include "reporter/findings/findings.h"
#include "reporter/gate/gate.h"
#include "reporter/gate/policy.h"
#include "reporter/testing/compared_profiles.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

constexpr char kInstructions[] = "gprofhub_event_instructions";
constexpr uint64_t kPeriod = 1'000'000;

// main calls work, with the given samples of time and of instructions, and ten functions that never
// change.
ProfileBuilder RunOf(double time, uint64_t instructions) {
  ProfileBuilder run;
  run.Function("main", 500).Arc("", "main", 1);
  run.Function("work", time).Arc("main", "work", 100);
  run.Function(kInstructions);
  for (int i = 0; i < 10; ++i) {
    const std::string name = "other" + std::to_string(i);
    run.Function(name, 1000).Arc("main", name, 5);
    run.Arc(name, kInstructions, (1000 + static_cast<uint64_t>(i)) * kPeriod);
  }
  if (instructions > 0) run.Arc("work", kInstructions, instructions * kPeriod);
  return run;
}

ProfileBuilder RunWithout(double time) {
  ProfileBuilder run;
  run.Function("main", 500).Arc("", "main", 1);
  run.Function("work", time).Arc("main", "work", 100);
  return run;
}

ComparisonSide Three(const profile::ComputedProfile& run) {
  ComparisonSide side;
  side.targets[kTarget].assign(3, run);
  return side;
}

v1::Report Compare(const ProfileBuilder& before, const ProfileBuilder& after) {
  return CompareSides(Three(before.Build()), Three(after.Build()), CompareOptions());
}

const v1::Finding* OfInstructions(const v1::Report& report, const std::string& function) {
  return Find(report, function, "", v1::Finding::EVENT_INSTRUCTIONS);
}

TEST(EventInstructions, AreJudgedBesideTheTime) {
  const v1::Report report = Compare(RunOf(2000, 2000), RunOf(4000, 3000));
  const v1::Finding* const executed = OfInstructions(report, "work");
  ASSERT_NE(executed, nullptr);
  EXPECT_EQ(executed->verdict(), v1::Finding::REGRESSED);
  EXPECT_DOUBLE_EQ(executed->before(), 2000.0 * kPeriod);
  EXPECT_DOUBLE_EQ(executed->after(), 3000.0 * kPeriod);
  EXPECT_NEAR(executed->effect_percent(), 50, 0.01);
  EXPECT_NEAR(executed->impact(), 1000.0 / 13045, 0.001);
  EXPECT_TRUE(executed->material());
  EXPECT_FALSE(executed->exact());
  const v1::Finding* const took = Find(report, "work", "", v1::Finding::SELF_TIME);
  ASSERT_NE(took, nullptr);
  EXPECT_EQ(took->verdict(), v1::Finding::REGRESSED);
}

// The time of a function with few samples is inconclusive; its instructions are not.
TEST(EventInstructions, AreAFamilyOfTheirOwn) {
  const v1::Report report = Compare(RunOf(40, 2000), RunOf(50, 2600));
  const v1::Finding* const executed = OfInstructions(report, "work");
  ASSERT_NE(executed, nullptr);
  EXPECT_EQ(executed->verdict(), v1::Finding::REGRESSED);
  const v1::Finding* const took = Find(report, "work", "", v1::Finding::SELF_TIME);
  EXPECT_TRUE(took == nullptr || !Changed(*took));
}

TEST(EventInstructions, AreNotSpokenOfWhereTheyDidNotChange) {
  const v1::Report report = Compare(RunOf(2000, 2000), RunOf(4000, 2000));
  EXPECT_EQ(OfInstructions(report, "work"), nullptr);
  EXPECT_EQ(OfInstructions(report, "other1"), nullptr);
}

TEST(EventInstructions, OfFewerSayThatTheyImproved) {
  const v1::Report report = Compare(RunOf(2000, 3000), RunOf(2000, 2000));
  const v1::Finding* const executed = OfInstructions(report, "work");
  ASSERT_NE(executed, nullptr);
  EXPECT_EQ(executed->verdict(), v1::Finding::IMPROVED);
}

TEST(EventInstructions, OfOneSideAreNotCompared) {
  const v1::Report report = Compare(RunWithout(2000), RunOf(2000, 3000));
  for (const v1::Finding& finding : report.findings()) {
    EXPECT_NE(finding.metric(), v1::Finding::EVENT_INSTRUCTIONS) << finding.DebugString();
  }
}

// A run without an instruction count is ignored; it does not lower the mean.
TEST(EventInstructions, OfRunsThatCountedNoneAreLeftOut) {
  ComparisonSide base = Three(RunOf(2000, 2000).Build());
  base.targets[kTarget].push_back(RunWithout(2000).Build());
  const v1::Report report = CompareSides(base, Three(RunOf(2000, 2000).Build()), CompareOptions());
  EXPECT_EQ(OfInstructions(report, "work"), nullptr);
}

TEST(EventInstructions, ArePerExecution) {
  ProfileBuilder twice;
  twice.Repetitions(2).Function("main", 1000).Arc("", "main", 2);
  twice.Function("work", 4000).Arc("main", "work", 200).Function(kInstructions);
  twice.Arc("work", kInstructions, 4000 * kPeriod).Arc("main", kInstructions, 1001 * kPeriod);
  ProfileBuilder once;
  once.Function("main", 500).Arc("", "main", 1);
  once.Function("work", 2000).Arc("main", "work", 100).Function(kInstructions);
  once.Arc("work", kInstructions, 4000 * kPeriod).Arc("main", kInstructions, 501 * kPeriod);
  const v1::Report report = Compare(once, twice);
  const v1::Finding* const executed = OfInstructions(report, "work");
  ASSERT_NE(executed, nullptr);
  EXPECT_DOUBLE_EQ(executed->before(), 4000.0 * kPeriod);
  EXPECT_DOUBLE_EQ(executed->after(), 2000.0 * kPeriod);
}

TEST(EventInstructions, FailACheckOnlyIfThePolicyAsks) {
  v1::Report report = Compare(RunOf(2000, 2000), RunOf(2000, 3000));
  ASSERT_NE(OfInstructions(report, "work"), nullptr);
  report.mutable_compared()->mutable_base()->set_commit("1111");
  const auto gated = [&](const Policy& policy) {
    return JudgeGate(report, policy, {}, "17", absl::FromUnixSeconds(1700000000)).gated.size();
  };
  EXPECT_EQ(gated(DefaultPolicy()), 0u);
  const auto asking = ParsePolicy(
      R"({"version": 1, "gates": [{"name": "executes-more", "metrics": ["event_instructions"]}]})",
      "policy");
  ASSERT_TRUE(asking.ok()) << asking.status();
  EXPECT_EQ(gated(*asking), 1u);
}

}  // namespace

}  // namespace gprofhub::reporter
