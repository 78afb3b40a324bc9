#include "reporter/rendering/test_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reporter/findings/function_rows.h"
#include "reporter/findings/text.h"
#include "reporter/testing/memory_history.h"
#include "reporter/testing/sample_reports.h"

namespace gprofhub::reporter {

namespace {

using ::testing::ElementsAre;

constexpr char kTest[] = "//a:test";

v1::TargetTotal& AddTotal(const std::string& target, double before, double after,
                          v1::Finding::Verdict verdict, v1::Report& report) {
  report.mutable_compared()->add_targets(target);
  v1::TargetTotal& total = *report.add_totals();
  total.set_target(target);
  total.set_dimension("seconds");
  total.set_before(before);
  total.set_after(after);
  total.set_speed_factor(1);
  total.set_effect_percent((after / before - 1) * 100);
  total.set_interval_low_percent(total.effect_percent() - 3);
  total.set_interval_high_percent(total.effect_percent() + 3);
  total.set_verdict(verdict);
  SetTestEffects(report);
  return total;
}

v1::Finding Cause(const std::string& function, double impact, v1::Finding::Verdict verdict) {
  v1::Finding finding = Calls(function);
  finding.set_impact(impact);
  finding.set_verdict(verdict);
  return finding;
}

std::vector<std::string> Verdicts(const v1::Report& report) {
  std::vector<std::string> verdicts;
  for (const TestSummary& test : SummarizeTests(report)) verdicts.push_back(NetVerdict(test));
  return verdicts;
}

TEST(NetVerdict, ChangeOfTheWholeTestComesBeforeItsCauses) {
  v1::Report report = MakeReport({Cause("slower", 0.0234, v1::Finding::REGRESSED),
                                  Cause("faster", 0.23, v1::Finding::IMPROVED)});
  AddTotal(kTest, 1, 0.77, v1::Finding::IMPROVED, report);
  EXPECT_THAT(Verdicts(report),
              ElementsAre("//a:test " + HumanEffect(-23) + " CPU: 1 improvement (" +
                          HumanEffect(-23) + "), 1 regression (+1.8%)"));
}

TEST(NetVerdict, SeveralCausesShowTheLargest) {
  v1::Report report =
      MakeReport({Cause("f", 0.05, v1::Finding::REGRESSED), Cause("g", 0.1, v1::Finding::NEW)});
  AddTotal(kTest, 1, 1.2, v1::Finding::REGRESSED, report);
  EXPECT_THAT(Verdicts(report), ElementsAre("//a:test +20% CPU: 2 regressions (largest +12%)"));
}

TEST(NetVerdict, EveryVerdictHasWords) {
  v1::Report report = MakeReport({});
  AddTotal("//a:same", 1, 1.01, v1::Finding::EQUIVALENT, report);
  AddTotal("//a:unclear", 1, 1.02, v1::Finding::CANNOT_TELL, report);
  AddTotal("//a:counted", 1, 1.3, v1::Finding::REGRESSED, report).set_dimension("Minstructions");
  AddTotal("//a:once", 1, 1.25, v1::Finding::CANNOT_TELL, report).set_unconfirmed(true);
  v1::Compared& compared = *report.mutable_compared();
  compared.add_targets("//a:short");
  compared.add_new_targets("//a:new");
  compared.add_vanished_targets("//a:gone");
  compared.add_unchanged_targets("//a:cached");
  compared.add_not_compared()->set_target("//a:broken");
  EXPECT_THAT(Verdicts(report),
              ElementsAre("//a:counted +30% instructions", "//a:once CPU unconfirmed (+25%)",
                          "//a:broken not compared", "//a:unclear CPU inconclusive (+2.0%)",
                          "//a:short CPU not sampled", "//a:new new", "//a:gone only in the base",
                          "//a:same same CPU (" + HumanEffect(-2) + " to +4.0%)",
                          "//a:cached same binary"));
}

TEST(SummarizeTests, OrdersByImportance) {
  v1::Finding less = Cause("g", 0.1, v1::Finding::IMPROVED);
  less.set_target("//a:saves");
  v1::Report report = MakeReport({Cause("f", 0.1, v1::Finding::REGRESSED), less});
  AddTotal("//a:faster", 1, 0.5, v1::Finding::IMPROVED, report);
  AddTotal("//a:saves", 1, 0.9, v1::Finding::CANNOT_TELL, report);
  AddTotal(kTest, 1, 1.1, v1::Finding::CANNOT_TELL, report);
  AddTotal("//a:slower", 1, 1.2, v1::Finding::REGRESSED, report);
  AddTotal("//a:slowest", 1, 1.5, v1::Finding::REGRESSED, report);
  std::vector<std::string> targets;
  for (const TestSummary& test : SummarizeTests(report)) targets.push_back(test.target);
  EXPECT_THAT(targets, ElementsAre("//a:slowest", "//a:slower", kTest, "//a:faster", "//a:saves"));
}

TEST(SummarizeTests, CauseOfSeveralTestsCountsInEach) {
  v1::Finding second = Cause("f", 0.05, v1::Finding::REGRESSED);
  second.set_target("//a:second");
  const v1::Report report = MakeReport({Cause("f", 0.1, v1::Finding::REGRESSED), second});
  EXPECT_THAT(Verdicts(report), ElementsAre("//a:test CPU not sampled: 1 regression (+10%)",
                                            "//a:second CPU not sampled: 1 regression (+5.0%)"));
}

TEST(SummarizeTests, SideEffectsAreNoCauses) {
  v1::Finding cause = Calls("callee", "caller");
  cause.add_follows("below");
  v1::Finding total = MakeFinding("main", v1::Finding::TOTAL_TIME);
  total.set_explained(true);
  const v1::Report report = MakeReport({cause, Calls("below"), total});
  ASSERT_EQ(SummarizeTests(report).size(), 1u);
  EXPECT_EQ(SummarizeTests(report)[0].regressions.count, 1u);
}

TEST(SummarizeTests, UnsampledCallsHaveNoShareOfTime) {
  const std::vector<TestSummary> tests = SummarizeTests(UnsampledReport());
  ASSERT_EQ(tests.size(), 1u);
  EXPECT_FALSE(tests[0].base_seconds.has_value());
  EXPECT_EQ(NetVerdict(tests[0]), std::string(kSampleTarget) + " CPU not sampled: 1 regression");
}

}  // namespace

}  // namespace gprofhub::reporter
