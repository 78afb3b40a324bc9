#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "reporter/comparison/compare_sides.h"
#include "reporter/testing/compared_profiles.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

struct TimeCase {
  const char* name;
  size_t runs;
  double before, after;  // samples per run
  v1::Finding::Verdict verdict;
};

class SampledTimes : public testing::TestWithParam<TimeCase> {};

TEST_P(SampledTimes, AsManySamplesAndRunsAllow) {
  ProfileBuilder before, after;
  before.Function("f", GetParam().before).Arc("", "f", 1);
  after.Function("f", GetParam().after).Arc("", "f", 1);
  // Several runs show that the other functions vary little.
  for (int i = 0; i < 6 && GetParam().runs > 1; ++i) {
    before.Function("steady" + std::to_string(i), 5000);
    after.Function("steady" + std::to_string(i), 5000);
  }
  ComparisonSide base, head;
  base.targets[kTarget].assign(GetParam().runs, before.Build());
  head.targets[kTarget].assign(GetParam().runs, after.Build());
  const v1::Report report = CompareSides(base, head, CompareOptions());
  const v1::Finding* finding = Find(report, "f", "", v1::Finding::SELF_TIME);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->verdict(), GetParam().verdict) << finding->DebugString();
  EXPECT_FALSE(finding->exact());
  EXPECT_LT(finding->interval_low_percent(), finding->interval_high_percent());
  EXPECT_EQ(finding->detectable_percent() > 0, finding->verdict() == v1::Finding::CANNOT_TELL);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, SampledTimes,
    testing::Values(TimeCase{"Doubled", 5, 400, 800, v1::Finding::REGRESSED},
                    TimeCase{"Halved", 5, 800, 400, v1::Finding::IMPROVED},
                    // Cache conflicts can double the time in one run.
                    TimeCase{"DoubledInOneRun", 1, 400, 800, v1::Finding::CANNOT_TELL},
                    TimeCase{"SixfoldInOneRun", 1, 400, 2400, v1::Finding::REGRESSED},
                    TimeCase{"FewSamples", 1, 10, 20, v1::Finding::CANNOT_TELL},
                    TimeCase{"NoneBefore", 1, 0, 25, v1::Finding::REGRESSED},
                    // One run on each side does not show how much runs vary.
                    TimeCase{"OneRunOfManySamples", 1, 100000, 100300, v1::Finding::CANNOT_TELL},
                    TimeCase{"ManySamplesSame", 5, 100000, 100300, v1::Finding::EQUIVALENT},
                    // Significant, but below the minimum effect.
                    TimeCase{"ManySamplesSmall", 5, 100000, 102000, v1::Finding::EQUIVALENT},
                    TimeCase{"ManySamplesAtTheEdge", 5, 100000, 104900, v1::Finding::CANNOT_TELL},
                    TimeCase{"ManySamplesLarger", 5, 100000, 115000, v1::Finding::REGRESSED}),
    [](const auto& info) { return info.param.name; });

TEST(SampledTime, OfAHandfulOfSamplesNothingIsSaid) {
  ProfileBuilder before, after;
  before.Function("f", 19).Arc("", "f", 1);
  after.Function("f", 0).Arc("", "f", 1);
  EXPECT_EQ(CompareTwo(before.Build(), after.Build()).findings_size(), 0);
}

// main → work, and ten other functions that are equally steady.
ProfileBuilder Workload(double work_samples, uint64_t work_calls, double slower = 1) {
  ProfileBuilder builder;
  builder.Function("main", 500 * slower).Arc("", "main", 1);
  builder.Function("work", work_samples * slower).Arc("main", "work", work_calls);
  for (int i = 0; i < 10; ++i) {
    const std::string name = "other" + std::to_string(i);
    builder.Function(name, 1000 * slower).Arc("main", name, 5);
  }
  return builder;
}

// Three equal runs on each side.
v1::Report CompareThree(const ProfileBuilder& before, const ProfileBuilder& after) {
  ComparisonSide base, head;
  base.targets[kTarget].assign(3, before.Build());
  head.targets[kTarget].assign(3, after.Build());
  return CompareSides(base, head, CompareOptions());
}

TEST(SampledTime, CalledMoreIsToldFromSlowerPerCall) {
  const v1::Report more = CompareThree(Workload(2000, 100), Workload(4000, 200));
  EXPECT_EQ(more.findings(0).function(), "work");
  EXPECT_EQ(more.findings(0).metric(), v1::Finding::CALLS);
  const v1::Finding* time = Find(more, "work", "", v1::Finding::SELF_TIME);
  ASSERT_NE(time, nullptr);
  EXPECT_EQ(time->verdict(), v1::Finding::REGRESSED);
  EXPECT_TRUE(time->explained()) << "twice the calls take twice the time";
  const v1::Report slower = CompareThree(Workload(2000, 100), Workload(4000, 100));
  EXPECT_EQ(slower.findings(0).metric(), v1::Finding::SELF_TIME);
  EXPECT_FALSE(slower.findings(0).explained());
  const v1::Report both = CompareThree(Workload(2000, 100), Workload(8000, 200));
  EXPECT_FALSE(Find(both, "work", "", v1::Finding::SELF_TIME)->explained());
}

TEST(SampledTime, ASlowerMachineIsNoRegression) {
  const v1::Report report =
      CompareTwo(Workload(2000, 100).Build(), Workload(2000, 100, 1.4).Build());
  EXPECT_NEAR(report.compared().machine_speed_factor(), 1.4, 0.01);
  for (const v1::Finding& finding : report.findings()) {
    EXPECT_NE(finding.verdict(), v1::Finding::REGRESSED) << finding.function();
  }
}

TEST(SampledTime, OneSlowFunctionDoesNotPassForASlowMachine) {
  ProfileBuilder before = Workload(9000, 100), after = Workload(18000, 100);
  const v1::Report report = CompareThree(before, after);
  EXPECT_EQ(report.findings(0).function(), "work");
  EXPECT_EQ(report.findings(0).verdict(), v1::Finding::REGRESSED);
}

TEST(SampledTime, OfAnotherKindOfMachineSaysNothing) {
  ComparisonSide base, head;
  base.targets[kTarget].assign(3, Workload(2000, 100).Build());
  head.targets[kTarget].assign(3, Workload(6000, 100).Build());
  base.origins[kTarget].assign(3, {"b", "", "old"});
  head.origins[kTarget].assign(3, {"h", "", "new"});
  v1::Report report = CompareSides(base, head, CompareOptions());
  EXPECT_EQ(Find(report, "work", "", v1::Finding::SELF_TIME), nullptr);
  ASSERT_EQ(report.warnings_size(), 1);
  EXPECT_NE(report.warnings(0).find("not compared"), std::string::npos);

  // Older runs on the head's kind of machine do.
  base.window[kTarget].assign(4, Workload(2000, 100).Build());
  base.origins[kTarget].resize(7, {"older", "", "new"});
  base.origins[kTarget][6].machine = "old";
  report = CompareSides(base, head, CompareOptions());
  const v1::Finding* work = Find(report, "work", "", v1::Finding::SELF_TIME);
  ASSERT_NE(work, nullptr);
  EXPECT_EQ(work->verdict(), v1::Finding::REGRESSED);
  EXPECT_NEAR(work->effect_percent(), 200, 1);
  EXPECT_NE(report.warnings(0).find("older runs"), std::string::npos);
}

TEST(SampledTime, OfFunctionsTooShortToMatterNothingIsSaid) {
  ProfileBuilder before = Workload(2000, 100), after = Workload(2000, 100);
  before.Function("short", 10);
  after.Function("short", 40);
  const v1::Report report = CompareThree(before, after);
  EXPECT_EQ(Find(report, "short", "", v1::Finding::SELF_TIME), nullptr);
}

TEST(SampledTime, FunctionsTooShortToMatterDoNotHideOthers) {
  const auto build = [](double samples) {
    ProfileBuilder builder = Workload(samples, 100);
    for (int i = 0; i < 300; ++i) builder.Function("short" + std::to_string(i), 20);
    return builder;
  };
  const v1::Report report = CompareThree(build(2000), build(2500));
  const v1::Finding* work = Find(report, "work", "", v1::Finding::SELF_TIME);
  ASSERT_NE(work, nullptr);
  EXPECT_EQ(work->verdict(), v1::Finding::REGRESSED);
}

TEST(SampledTime, TimeThatAFunctionsCalleeGainedOnlyMoved) {
  const auto build = [](double parse, double next) {
    ProfileBuilder builder = Workload(1000, 10);
    builder.Function("parse", parse, next).Function("next", next);
    return builder.Arc("main", "parse", 10).Arc("parse", "next", 100).Build();
  };
  const v1::Report report = CompareTwo(build(8000, 2000), build(2000, 8000));
  const v1::Finding* next = Find(report, "next", "", v1::Finding::SELF_TIME);
  ASSERT_NE(next, nullptr);
  EXPECT_EQ(next->verdict(), v1::Finding::SHIFTED);
  ASSERT_EQ(next->shift().with_size(), 1);
  EXPECT_EQ(next->shift().with(0), "parse");
}

// As the runtime records them with GPROFHUB_DIMENSION=instructions, in millions.
TEST(SampledTime, InstructionsAreJudgedAsSuch) {
  const auto three = [](double samples) {
    profile::ComputedProfile profile = Workload(samples, 100).Build();
    profile.dimension = "Minstructions";
    ComparisonSide side;
    side.targets[kTarget].assign(3, profile);
    return side;
  };
  const v1::Report report = CompareSides(three(2000), three(4000), CompareOptions());
  EXPECT_EQ(Find(report, "work", "", v1::Finding::SELF_TIME), nullptr);
  const v1::Finding* work = Find(report, "work", "", v1::Finding::INSTRUCTIONS);
  ASSERT_NE(work, nullptr);
  EXPECT_EQ(work->verdict(), v1::Finding::REGRESSED);
  EXPECT_DOUBLE_EQ(work->after(), 2 * work->before());
  EXPECT_GT(work->before(), 1e6);
}

TEST(SampledTime, DifferentDimensionsAreNotCompared) {
  profile::ComputedProfile before = Workload(10, 1).Build();
  profile::ComputedProfile after = before;
  after.dimension = "cycles";
  const v1::Report report = CompareTwo(before, after);
  EXPECT_EQ(report.findings_size(), 0);
  ASSERT_EQ(report.warnings_size(), 1);
  EXPECT_EQ(report.warnings(0),
            "//db:test: the base was sampled in seconds, the head in cycles; times are not "
            "compared");
}

const v1::TargetTotal& TotalIn(const v1::Report& report) {
  static const auto* const none = new v1::TargetTotal();
  return report.totals_size() == 1 ? report.totals(0) : *none;
}

TEST(TargetTotal, GrowsAndFallsWithTheWholeTest) {
  const v1::TargetTotal slower = TotalIn(CompareThree(Workload(2000, 100), Workload(8000, 100)));
  EXPECT_EQ(slower.target(), kTarget);
  EXPECT_EQ(slower.verdict(), v1::Finding::REGRESSED);
  EXPECT_NEAR(slower.effect_percent(), 48, 1);
  EXPECT_NEAR((slower.after() / slower.before() - 1) * 100, slower.effect_percent(), 1e-9);
  EXPECT_GT(slower.interval_low_percent(), 0);
  const v1::TargetTotal faster = TotalIn(CompareThree(Workload(8000, 100), Workload(2000, 100)));
  EXPECT_EQ(faster.verdict(), v1::Finding::IMPROVED);
  EXPECT_LT(faster.interval_high_percent(), 0);
  const v1::TargetTotal same = TotalIn(CompareThree(Workload(2000, 100), Workload(2010, 100)));
  EXPECT_EQ(same.verdict(), v1::Finding::EQUIVALENT);
}

TEST(TargetTotal, LeavesOutTheSpeedOfTheMachine) {
  const v1::TargetTotal total =
      TotalIn(CompareThree(Workload(2000, 100), Workload(2000, 100, 1.4)));
  EXPECT_NEAR(total.speed_factor(), 1.4, 0.01);
  EXPECT_NEAR(total.after(), total.before(), total.before() * 0.01);
  EXPECT_EQ(total.verdict(), v1::Finding::EQUIVALENT);
}

TEST(TargetTotal, OfFewSamplesIsInconclusive) {
  const v1::TargetTotal total = TotalIn(CompareTwo(ProfileBuilder().Function("f", 5).Build(),
                                                   ProfileBuilder().Function("f", 12).Build()));
  EXPECT_EQ(total.verdict(), v1::Finding::CANNOT_TELL);
  EXPECT_LT(total.interval_low_percent(), 0);
}

TEST(TargetTotal, IsOnlySetWhereSampled) {
  ProfileBuilder counted;
  counted.Function("f").Arc("", "f", 1);
  EXPECT_EQ(CompareTwo(counted.Build(), counted.Build()).totals_size(), 0);
  ComparisonSide base, head;
  head.targets[kTarget] = {Workload(2000, 100).Build()};
  const v1::TargetTotal total = TotalIn(CompareSides(base, head, CompareOptions()));
  EXPECT_GT(total.after(), 0);
  EXPECT_FALSE(total.has_before());
  EXPECT_EQ(total.verdict(), v1::Finding::VERDICT_UNSPECIFIED);
}

TEST(TargetTotal, UsesOlderRunsOnlyForAnotherKindOfMachine) {
  ComparisonSide base, head;
  base.targets[kTarget].assign(3, Workload(2000, 100).Build());
  base.window[kTarget].assign(3, Workload(9000, 100).Build());
  head.targets[kTarget].assign(3, Workload(2000, 100).Build());
  EXPECT_NEAR(TotalIn(CompareSides(base, head, CompareOptions())).effect_percent(), 0, 0.1);
  base.origins[kTarget].assign(3, {"b", "", "old"});
  base.origins[kTarget].resize(6, {"older", "", "new"});
  head.origins[kTarget].assign(3, {"h", "", "new"});
  EXPECT_EQ(TotalIn(CompareSides(base, head, CompareOptions())).verdict(), v1::Finding::IMPROVED);
  base.window.clear();
  const v1::TargetTotal other = TotalIn(CompareSides(base, head, CompareOptions()));
  EXPECT_FALSE(other.has_before());
  EXPECT_TRUE(other.has_after());
}

// The interval is that of the decision: it excludes 0 if and only if the change is significant.
TEST(SampledTime, IntervalAgreesWithTheVerdict) {
  int inconclusive = 0, changed = 0;
  for (double samples = 2000; samples < 3000; samples += 20) {
    const v1::Report report = CompareThree(Workload(2000, 100), Workload(samples, 100));
    for (const v1::Finding& finding : report.findings()) {
      if (finding.metric() == v1::Finding::CALLS) continue;
      const bool has_zero =
          finding.interval_low_percent() <= 0 && finding.interval_high_percent() >= 0;
      if (finding.verdict() == v1::Finding::CANNOT_TELL) {
        ++inconclusive;
        EXPECT_TRUE(has_zero) << finding.DebugString();
      } else if (finding.verdict() == v1::Finding::REGRESSED) {
        ++changed;
        EXPECT_FALSE(has_zero) << finding.DebugString();
      }
    }
  }
  EXPECT_GT(inconclusive, 5);
  EXPECT_GT(changed, 5);
}

}  // namespace

}  // namespace gprofhub::reporter
