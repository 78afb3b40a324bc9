#include "reporter/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "reporter/change_rows.h"
#include "reporter/profile_builder.h"
#include "reporter/time_changes.h"

namespace gprofhub {
namespace {

constexpr char kTarget[] = "//db:test";

v1::Report CompareTwo(const ComputedProfile& before, const ComputedProfile& after) {
  ComparisonSide base, head;
  base.targets.emplace(kTarget, before);
  head.targets.emplace(kTarget, after);
  return CompareRuns(base, head, CompareOptions());
}

const v1::Finding* Find(const v1::Report& report, const std::string& function,
                        const std::string& caller, v1::Finding::Metric metric) {
  for (const v1::Finding& finding : report.findings()) {
    if (finding.function() == function && finding.caller() == caller &&
        finding.metric() == metric) {
      return &finding;
    }
  }
  return nullptr;
}

const v1::Finding* Calls(const v1::Report& report, const std::string& function,
                         const std::string& caller = "") {
  return Find(report, function, caller, v1::Finding::CALLS);
}

int RankOf(const v1::Report& report, const v1::Finding& finding) {
  int rank = 0;
  while (&report.findings(rank) != &finding) ++rank;
  return rank;
}

// main → parse → next → read, next called `per_parse` times per parse.
ProfileBuilder Parser(uint64_t parses, uint64_t per_parse) {
  ProfileBuilder builder;
  builder.Function("main").Function("parse", 20, 60).Function("next", 40, 20).Function("read", 20);
  builder.Arc("", "main", 1).Arc("main", "parse", parses, 12);
  builder.Arc("parse", "next", parses * per_parse, 34);
  builder.Arc("next", "read", parses * per_parse * 2, 56);
  return builder;
}

TEST(CompareRuns, SaysNothingOfEqualCounts) {
  const v1::Report report = CompareTwo(Parser(10, 3).Build(), Parser(10, 3).Build());
  for (const v1::Finding& finding : report.findings()) {
    EXPECT_NE(finding.metric(), v1::Finding::CALLS) << finding.function();
    EXPECT_EQ(finding.verdict(), v1::Finding::CANNOT_TELL) << finding.function();
  }
}

TEST(CompareRuns, BlamesTheArcThatChangedAndFoldsWhatFollows) {
  const v1::Report report = CompareTwo(Parser(10, 1).Build(), Parser(10, 8).Build());
  const v1::Finding& cause = report.findings(0);
  EXPECT_EQ(cause.function(), "next");
  EXPECT_EQ(cause.caller(), "parse");
  EXPECT_EQ(cause.metric(), v1::Finding::CALLS);
  EXPECT_EQ(cause.verdict(), v1::Finding::REGRESSED);
  EXPECT_TRUE(cause.exact());
  EXPECT_EQ(cause.before(), 10);
  EXPECT_EQ(cause.after(), 80);
  EXPECT_EQ(cause.caller_calls_before(), 10);
  EXPECT_EQ(cause.caller_calls_after(), 10);
  EXPECT_DOUBLE_EQ(cause.effect_percent(), 700);
  EXPECT_EQ(cause.site().file(), "src/a.cc");
  EXPECT_EQ(cause.site().line(), 34u);
  ASSERT_EQ(cause.follows_size(), 1);
  EXPECT_EQ(cause.follows(0), "read");

  // The functions' own counts are there too, the follower's after its cause.
  ASSERT_NE(Calls(report, "next"), nullptr);
  ASSERT_NE(Calls(report, "read"), nullptr);
  EXPECT_EQ(Calls(report, "read")->after(), 160);
  EXPECT_EQ(Calls(report, "read", "next"), nullptr) << "as often per call as before";
  EXPECT_LT(RankOf(report, *Calls(report, "next")), RankOf(report, *Calls(report, "read")));
}

TEST(CompareRuns, FollowsACauseThroughSeveralFunctions) {
  const v1::Report report = CompareTwo(Parser(10, 3).Build(), Parser(20, 3).Build());
  EXPECT_EQ(report.findings(0).function(), "parse");
  EXPECT_EQ(report.findings(0).caller(), "main");
  EXPECT_EQ(report.findings(0).follows_size(), 2);
}

TEST(CompareRuns, CallsFewerTimesIsAnImprovement) {
  const v1::Report report = CompareTwo(Parser(10, 8).Build(), Parser(10, 1).Build());
  EXPECT_EQ(report.findings(0).verdict(), v1::Finding::IMPROVED);
  EXPECT_DOUBLE_EQ(report.findings(0).effect_percent(), -87.5);
}

TEST(CompareRuns, CountsAreComparedPerExecution) {
  ProfileBuilder three = Parser(30, 3);  // the sum of three executions
  three.Repetitions(3);
  ProfileBuilder once = Parser(10, 3);
  // main is called once per execution, which the sum of three does not have.
  const v1::Report report = CompareTwo(once.Build(), three.Build());
  EXPECT_EQ(Calls(report, "parse"), nullptr);
  EXPECT_EQ(Calls(report, "next"), nullptr);
}

TEST(CompareRuns, ASumThatDidNotRepeatIsNotExact) {
  ProfileBuilder before, after;
  before.Repetitions(2).Function("f").Arc("", "f", 10);
  after.Repetitions(2).Function("f").Arc("", "f", 13);
  const v1::Report report = CompareTwo(before.Build(), after.Build());
  ASSERT_NE(Calls(report, "f"), nullptr);
  EXPECT_FALSE(Calls(report, "f")->exact());
  EXPECT_EQ(Calls(report, "f")->verdict(), v1::Finding::CANNOT_TELL);
}

TEST(CompareRuns, NewAndVanishedFunctionsAreNamedAsSuch) {
  ProfileBuilder before, after;
  before.Function("main").Function("old").Arc("", "main", 1).Arc("main", "old", 5);
  after.Function("main").Function("young").Arc("", "main", 1).Arc("main", "young", 7);
  const v1::Report report = CompareTwo(before.Build(), after.Build());
  ASSERT_NE(Calls(report, "young"), nullptr);
  EXPECT_EQ(Calls(report, "young")->verdict(), v1::Finding::NEW);
  EXPECT_EQ(Calls(report, "young")->effect_percent(), 0);
  EXPECT_EQ(Calls(report, "young", "main")->verdict(), v1::Finding::NEW);
  ASSERT_NE(Calls(report, "old"), nullptr);
  EXPECT_EQ(Calls(report, "old")->verdict(), v1::Finding::VANISHED);
}

TEST(CompareRuns, CallsThatComeFromElsewhereAreShifted) {
  ProfileBuilder before, after;
  for (ProfileBuilder* builder : {&before, &after}) {
    builder->Function("a").Function("b").Function("leaf").Arc("", "a", 1).Arc("", "b", 1);
  }
  before.Arc("a", "leaf", 10);
  after.Arc("a", "leaf", 4).Arc("b", "leaf", 6);
  const v1::Report report = CompareTwo(before.Build(), after.Build());
  EXPECT_EQ(Calls(report, "leaf"), nullptr);
  EXPECT_EQ(Calls(report, "leaf", "a")->verdict(), v1::Finding::SHIFTED);
  EXPECT_EQ(Calls(report, "leaf", "b")->verdict(), v1::Finding::SHIFTED);
}

TEST(CompareRuns, MutualRecursionDoesNotRunInCircles) {
  const auto build = [](uint64_t from_main, uint64_t around) {
    ProfileBuilder builder;
    builder.Function("main").Function("ping").Function("pong").Arc("", "main", 1);
    builder.Arc("main", "ping", from_main).Arc("ping", "pong", around).Arc("pong", "ping", around);
    return builder.Build();
  };
  const v1::Report report = CompareTwo(build(1, 100), build(1, 200));
  EXPECT_NE(Calls(report, "ping"), nullptr);
  EXPECT_NE(Calls(report, "pong"), nullptr);
}

TEST(CompareRuns, WhatStandsForMoreCpuRanksHigher) {
  const auto build = [](uint64_t hot, uint64_t cold) {
    ProfileBuilder builder;
    builder.Function("main").Function("hot", 9000).Function("cold", 1).Arc("", "main", 1);
    builder.Arc("main", "hot", hot).Arc("main", "cold", cold);
    return builder.Build();
  };
  // The cold function's count grows a thousandfold, the hot one's by a tenth.
  const v1::Report report = CompareTwo(build(100, 1), build(110, 1000));
  EXPECT_EQ(report.findings(0).function(), "hot");
  EXPECT_GT(report.findings(0).impact(), 0.05);
}

TEST(CompareRuns, TargetsOfOneSideOnlyAreNamedAndNotJudged) {
  ComparisonSide base, head;
  base.targets.emplace("//a", Parser(1, 1).Build());
  head.targets.emplace("//b", Parser(1, 1).Build());
  const v1::Report report = CompareRuns(base, head, CompareOptions());
  EXPECT_EQ(report.findings_size(), 0);
  EXPECT_EQ(report.compared().new_targets(0), "//b");
  EXPECT_EQ(report.compared().vanished_targets(0), "//a");
}

struct TimeCase {
  const char* name;
  double before, after;
  v1::Finding::Verdict verdict;
};

class SampledTimes : public testing::TestWithParam<TimeCase> {};

TEST_P(SampledTimes, AsManySamplesAllow) {
  ProfileBuilder before, after;
  before.Function("f", GetParam().before).Arc("", "f", 1);
  after.Function("f", GetParam().after).Arc("", "f", 1);
  const v1::Report report = CompareTwo(before.Build(), after.Build());
  const v1::Finding* finding = Find(report, "f", "", v1::Finding::SELF_TIME);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->verdict(), GetParam().verdict) << finding->DebugString();
  EXPECT_FALSE(finding->exact());
  EXPECT_LT(finding->interval_low_percent(), finding->interval_high_percent());
}

INSTANTIATE_TEST_SUITE_P(
    Cases, SampledTimes,
    testing::Values(TimeCase{"Doubled", 400, 800, v1::Finding::REGRESSED},
                    TimeCase{"Halved", 800, 400, v1::Finding::IMPROVED},
                    TimeCase{"FewSamples", 10, 20, v1::Finding::CANNOT_TELL},
                    TimeCase{"NoneBefore", 0, 11, v1::Finding::CANNOT_TELL},
                    TimeCase{"ManySamplesSame", 100000, 100300, v1::Finding::EQUIVALENT},
                    // Significant, but below the minimum effect.
                    TimeCase{"ManySamplesSmall", 100000, 103000, v1::Finding::EQUIVALENT},
                    TimeCase{"ManySamplesAtTheEdge", 100000, 104900, v1::Finding::CANNOT_TELL}),
    [](const auto& info) { return info.param.name; });

TEST(SampledTime, TheIntervalIsThatOfTwoPoissonCounts) {
  ProfileBuilder before, after;
  before.Function("f", 400).Arc("", "f", 1);
  after.Function("f", 400).Arc("", "f", 1);
  const v1::Report report = CompareTwo(before.Build(), after.Build());
  const v1::Finding* finding = Find(report, "f", "", v1::Finding::SELF_TIME);
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(finding->standard_error(), std::sqrt(800.0) / 100, 1e-9);
  EXPECT_NEAR(finding->interval_high_percent(), (std::exp(1.96 * std::sqrt(2 / 400.5)) - 1) * 100,
              0.01);
  EXPECT_NEAR(DetectablePercent(*finding, CompareOptions()),
              (std::exp(3 * std::sqrt(2 / 400.5)) - 1) * 100, 0.01);
}

TEST(SampledTime, OfAHandfulOfSamplesNothingIsSaid) {
  ProfileBuilder before, after;
  before.Function("f", 9).Arc("", "f", 1);
  after.Function("f", 0).Arc("", "f", 1);
  EXPECT_EQ(CompareTwo(before.Build(), after.Build()).findings_size(), 0);
}

TEST(CompareRuns, WithoutSamplesManyCallsRankBeforeFew) {
  const auto build = [](uint64_t few, uint64_t many) {
    ProfileBuilder builder;
    builder.Function("main").Function("few").Function("many").Arc("", "main", 1);
    builder.Arc("main", "few", few).Arc("main", "many", many);
    return builder.Build();
  };
  EXPECT_EQ(CompareTwo(build(1, 1000), build(5, 2000)).findings(0).function(), "many");
}

TEST(SampledTime, DifferentDimensionsAreNotCompared) {
  ComputedProfile before = Parser(1, 1).Build();
  ComputedProfile after = before;
  after.dimension = "cycles";
  const v1::Report report = CompareTwo(before, after);
  EXPECT_EQ(report.findings_size(), 0);
  ASSERT_EQ(report.warnings_size(), 1);
  EXPECT_EQ(report.warnings(0),
            "//db:test: the base was sampled in seconds, the head in cycles; times are not "
            "compared");
}

TEST(LimitFindings, SaysWhatItLeftOut) {
  v1::Report report = CompareTwo(Parser(10, 1).Build(), Parser(10, 8).Build());
  const int count = report.findings_size();
  LimitFindings(report, 1);
  EXPECT_EQ(report.findings_size(), 1);
  EXPECT_EQ(report.findings(0).function(), "next");
  EXPECT_EQ(report.warnings(0),
            std::to_string(count - 1) + " less important findings are not listed");
}

}  // namespace
}  // namespace gprofhub
