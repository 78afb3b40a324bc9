#include "reporter/counts/count_history.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reporter/comparison/compare_sides.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

// Runs of different commits and binaries.
std::vector<CountInRun> Runs(const std::vector<double>& counts) {
  static const std::vector<std::string> kNames = {"a", "b", "c", "d", "e", "f", "g", "h"};
  std::vector<CountInRun> runs;
  for (const double count : counts) runs.push_back({kNames[runs.size()], "", count});
  return runs;
}

TEST(Varies, NotWhereCommitsChangeTheCountNowAndThen) {
  EXPECT_FALSE(Varies(Runs({5})));
  EXPECT_FALSE(Varies(Runs({5, 7})));
  EXPECT_FALSE(Varies(Runs({5, 7, 9})));
  EXPECT_FALSE(Varies(Runs({5, 5, 7, 7, 7, 3, 3, 3})));
}

TEST(Varies, NotWhereEachCommitAddsATest) {
  EXPECT_FALSE(Varies(Runs({80, 70, 60, 50, 40, 30, 20, 10})));
}

TEST(Varies, WhereTheCountJumpsAbout) {
  EXPECT_TRUE(Varies(Runs({5, 7, 4, 9, 5, 8, 3, 6})));
  EXPECT_FALSE(Varies(Runs({5, 7, 4, 9, 5}))) << "too few runs to tell";
}

TEST(Repeats, WhereMostRunsHaveTheCountOfTheOneBefore) {
  EXPECT_FALSE(Repeats(Runs({5})));
  EXPECT_TRUE(Repeats(Runs({5, 5})));
  EXPECT_TRUE(Repeats(Runs({5, 5, 7, 7, 7, 3, 3, 3})));
  EXPECT_FALSE(Repeats(Runs({5, 7, 7}))) << "it changed as often as it did not";
  EXPECT_FALSE(Repeats(Runs({0, 0, 0}))) << "without a call there is nothing to repeat";
}

TEST(Varies, WhereRunsOfOneCommitDiffer) {
  std::vector<CountInRun> runs = Runs({5, 7});
  runs[1].commit = runs[0].commit;
  EXPECT_TRUE(Varies(runs));
  runs[1].each = 5;
  EXPECT_FALSE(Varies(runs));
}

TEST(Varies, WhereExecutionsOfOneRunDiffer) {
  std::vector<CountInRun> runs = Runs({5});
  runs[0].repeats = false;
  EXPECT_TRUE(Varies(runs));
}

TEST(Varies, WhereOneBinaryKeepsChangingItsCount) {
  std::vector<CountInRun> runs = Runs({5, 7, 9});
  for (CountInRun& run : runs) run.binary = "same";
  EXPECT_TRUE(Varies(runs));
  runs[2].each = 7;
  EXPECT_FALSE(Varies(runs)) << "its data may have changed once";
}

constexpr char kTarget[] = "//db:test";

profile::ComputedProfile Run(uint64_t lookups) {
  ProfileBuilder builder;
  builder.Function("main", 100).Arc("", "main", 1);
  builder.Function("lookup", 900).Arc("main", "lookup", lookups);
  return builder.Build();
}

ComparisonSide Base(const std::vector<uint64_t>& lookups) {
  ComparisonSide base;
  for (size_t i = 0; i < lookups.size(); ++i) {
    (i == 0 ? base.targets : base.window)[kTarget].push_back(Run(lookups[i]));
    base.origins[kTarget].push_back({"commit" + std::to_string(i), "one binary", ""});
  }
  return base;
}

ComparisonSide Head(const std::vector<uint64_t>& lookups) {
  ComparisonSide head;
  for (const uint64_t count : lookups) head.targets[kTarget].push_back(Run(count));
  return head;
}

const v1::Finding* FindCalls(const v1::Report& report, const std::string& caller) {
  for (const v1::Finding& finding : report.findings()) {
    if (finding.function() == "lookup" && finding.metric() == v1::Finding::CALLS &&
        finding.caller() == caller) {
      return &finding;
    }
  }
  return nullptr;
}

TEST(CountHistory, KeepsACountThatVariesFromAlarmingInTwoRuns) {
  const v1::Report alone = CompareSides(Base({1000}), Head({1300}), CompareOptions());
  ASSERT_NE(FindCalls(alone, "main"), nullptr);
  EXPECT_EQ(FindCalls(alone, "main")->verdict(), v1::Finding::REGRESSED);
  EXPECT_TRUE(FindCalls(alone, "main")->one_run());

  const v1::Report report =
      CompareSides(Base({1000, 1280, 940, 1150, 1010}), Head({1300}), CompareOptions());
  for (const v1::Finding& finding : report.findings()) {
    if (finding.metric() != v1::Finding::CALLS) continue;
    EXPECT_FALSE(finding.exact());
    EXPECT_EQ(finding.verdict(), v1::Finding::CANNOT_TELL) << finding.DebugString();
    EXPECT_LT(finding.interval_low_percent(), 0);
    EXPECT_GT(finding.interval_high_percent(), 30);
  }
}

TEST(CountHistory, LetsAVaryingCountAlarmThatLeavesItsRange) {
  const v1::Report report =
      CompareSides(Base({1000, 1004, 998, 1003, 1001, 997}), Head({2000}), CompareOptions());
  ASSERT_NE(FindCalls(report, ""), nullptr);
  EXPECT_EQ(FindCalls(report, "")->verdict(), v1::Finding::REGRESSED);
  EXPECT_FALSE(FindCalls(report, "")->exact());
  EXPECT_FALSE(FindCalls(report, "")->one_run());
}

TEST(CountHistory, AnOddRunNeitherHidesAChangeNorMakesOne) {
  for (const std::vector<uint64_t>& base : std::vector<std::vector<uint64_t>>{
           {1000, 1010, 990, 1005, 3000}, {3000, 1000, 1010, 990, 1005}}) {
    const v1::Report eightfold = CompareSides(Base(base), Head({8510}), CompareOptions());
    ASSERT_NE(FindCalls(eightfold, ""), nullptr);
    EXPECT_EQ(FindCalls(eightfold, "")->verdict(), v1::Finding::REGRESSED);
    EXPECT_NEAR(FindCalls(eightfold, "")->effect_percent(), 751, 20);
    const v1::Report same = CompareSides(Base(base), Head({1000}), CompareOptions());
    for (const v1::Finding& finding : same.findings()) {
      if (finding.metric() != v1::Finding::CALLS) continue;
      EXPECT_EQ(finding.verdict(), v1::Finding::CANNOT_TELL) << finding.DebugString();
    }
  }
}

TEST(CountHistory, ReportsACountThatNoLongerRepeats) {
  const v1::Report report =
      CompareSides(Base({1000, 1000, 1000}), Head({1000, 1010}), CompareOptions());
  ASSERT_NE(FindCalls(report, ""), nullptr);
  EXPECT_TRUE(FindCalls(report, "")->no_longer_exact());
  EXPECT_FALSE(FindCalls(report, "")->exact());
  bool said = false;
  for (const std::string& warning : report.warnings()) {
    said |= warning.find("repeated from run to run until now") != std::string::npos;
  }
  EXPECT_TRUE(said);
}

TEST(CountHistory, OfExactCountsLeavesThemExact) {
  const v1::Report report =
      CompareSides(Base({1000, 1000, 900, 900}), Head({1300}), CompareOptions());
  ASSERT_NE(FindCalls(report, "main"), nullptr);
  EXPECT_TRUE(FindCalls(report, "main")->exact());
  EXPECT_EQ(FindCalls(report, "main")->verdict(), v1::Finding::REGRESSED);
}

}  // namespace
}  // namespace gprofhub::reporter
