#include "reporter/rendering/function_rows.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;

v1::Finding MakeFinding(const std::string& function, v1::Finding::Metric metric,
                        const std::string& caller = "", const std::string& target = "//a:test") {
  v1::Finding finding;
  finding.set_verdict(v1::Finding::REGRESSED);
  finding.set_metric(metric);
  finding.set_function(function);
  finding.set_caller(caller);
  finding.set_target(target);
  finding.set_before(100);
  finding.set_after(150);
  finding.set_effect_percent(50);
  finding.set_impact(0.1);
  finding.set_material(true);
  finding.set_exact(metric == v1::Finding::CALLS);
  return finding;
}

v1::Finding Calls(const std::string& function, const std::string& caller = "") {
  return MakeFinding(function, v1::Finding::CALLS, caller);
}

v1::Report MakeReport(const std::vector<v1::Finding>& findings) {
  v1::Report report;
  report.mutable_compared()->mutable_base()->set_commit("1111");
  for (const v1::Finding& finding : findings) *report.add_findings() = finding;
  return report;
}

std::string Plain(absl::string_view name) { return std::string(name); }

TEST(KindsOf, AFunctionMattersAsItsArcsDoAndFollowersAsTheirCauseDoes) {
  v1::Finding arc = Calls("f", "main"), small = Calls("g", "main");
  arc.add_follows("below");
  small.set_material(false);
  small.add_follows("below_small");
  EXPECT_THAT(KindsOf({arc, Calls("f"), Calls("below"), small, Calls("g"), Calls("below_small")}),
              ElementsAre(FindingKind::kCause, FindingKind::kCause, FindingKind::kFollower,
                          FindingKind::kMinor, FindingKind::kMinor, FindingKind::kMinor));
}

TEST(KindsOf, TimesAreCausesTotalsOrExplained) {
  v1::Finding explained = MakeFinding("f", v1::Finding::SELF_TIME);
  explained.set_explained(true);
  v1::Finding moved = MakeFinding("f", v1::Finding::SELF_TIME);
  moved.set_verdict(v1::Finding::SHIFTED);
  EXPECT_THAT(KindsOf({MakeFinding("f", v1::Finding::SELF_TIME), explained, moved,
                       MakeFinding("f", v1::Finding::TOTAL_TIME)}),
              ElementsAre(FindingKind::kCause, FindingKind::kFollower, FindingKind::kShifted,
                          FindingKind::kTotalTime));
  EXPECT_THAT(KindsOf({explained}), ElementsAre(FindingKind::kMinor)) << "nothing explains it here";
}

TEST(GroupByFunction, MakesOneRowOfAFunctionsFindings) {
  v1::Finding elsewhere = Calls("f");
  elsewhere.set_target("//b:test");
  const v1::Report report =
      MakeReport({Calls("f", "main"), Calls("f", "other"), Calls("f"),
                  MakeFinding("f", v1::Finding::SELF_TIME), elsewhere, Calls("g")});
  const std::vector<ChangeRow> rows = GroupByFunction(report);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].arc, &report.findings(0));
  EXPECT_EQ(rows[0].calls, &report.findings(2));
  EXPECT_EQ(rows[0].self_time, &report.findings(3));
  EXPECT_EQ(rows[0].total_time, nullptr);
  EXPECT_EQ(rows[0].further_arcs, 1u);
  EXPECT_THAT(rows[0].other_targets, ElementsAre("//b:test"));
}

TEST(DescribeRow, SaysWhatIsCalledAndByWhom) {
  v1::Finding arc = Calls("f", "main");
  arc.set_caller_calls_before(50);
  arc.set_caller_calls_after(50);
  arc.add_follows("below");
  v1::Finding calls = Calls("f");
  calls.set_after(170);
  const v1::Report report = MakeReport({arc, calls});
  const std::vector<ChangeRow> rows = GroupByFunction(report);
  EXPECT_EQ(DescribeRow(rows[0], Plain),
            "called 170×, was 100; main calls it 3× per call, was 2; 1 function it calls follows");
}

TEST(DescribeRow, SaysWhetherATotalTimeIsMeasured) {
  for (const bool measured : {false, true}) {
    v1::Finding total = MakeFinding("f", v1::Finding::TOTAL_TIME);
    total.set_measured(measured);
    const v1::Report report = MakeReport({total});
    EXPECT_EQ(DescribeRow(GroupByFunction(report)[0], Plain),
              measured ? "time with all it calls (measured) 150 s, was 100 s"
                       : "time with all it calls (estimated) 150 s, was 100 s");
  }
}

TEST(DescribeEffect, GivesTheShareOfCpu) {
  v1::Report report = MakeReport({Calls("f", "main"), Calls("f")});
  EXPECT_EQ(DescribeEffect(GroupByFunction(report)[0]),
            "+50% calls (exact), about 10% of the test's CPU");
  for (v1::Finding& finding : *report.mutable_findings()) finding.set_impact(0.0004);
  EXPECT_EQ(DescribeEffect(GroupByFunction(report)[0]),
            "+50% calls (exact), less than 0.1% of the test's CPU");
}

TEST(DescribeEffect, WithoutSamplesGivesTheShareOfCalls) {
  v1::Finding calls = Calls("f");
  calls.set_impact(0);
  calls.set_share_of_calls(0.17);
  const v1::Report report = MakeReport({calls});
  EXPECT_EQ(DescribeEffect(GroupByFunction(report)[0]),
            "+50% calls (exact), about 17% of the test's calls (share of CPU not known: no "
            "samples)");
}

TEST(PlaceOf, IsTheCallToBlameIfKnown) {
  v1::Finding arc = Calls("f", "main"), calls = Calls("f");
  calls.mutable_site()->set_file("f.cc");
  const v1::Report without = MakeReport({calls, arc});
  EXPECT_EQ(PlaceOf(GroupByFunction(without)[0]), "f.cc");
  arc.mutable_site()->set_file("main.cc");
  arc.mutable_site()->set_line(12);
  arc.set_in_diff(true);
  const v1::Report with = MakeReport({calls, arc});
  EXPECT_EQ(PlaceOf(GroupByFunction(with)[0]), "main.cc:12");
  EXPECT_TRUE(InDiff(GroupByFunction(with)[0]));
}

TEST(Headline, CountsWhatCostsSavesAndCannotBeWeighed) {
  v1::Finding saves = Calls("saves"), unsampled = Calls("unsampled"), minor = Calls("minor");
  saves.set_verdict(v1::Finding::IMPROVED);
  saves.set_impact(0.02);
  unsampled.set_impact(0);
  unsampled.set_share_of_calls(0.5);
  minor.set_material(false);
  EXPECT_EQ(Headline(MakeReport({Calls("costs"), saves, minor})),
            "1 change costs about 10% of a test's CPU; 1 change saves about 2.0% of a test's CPU; "
            "1 small change");
  EXPECT_EQ(Headline(MakeReport({unsampled})),
            "1 change of calls without a known share of CPU (no samples)");
  EXPECT_EQ(Headline(MakeReport({})), "every call count is the same as before");
  EXPECT_EQ(Headline(v1::Report()), "nothing to compare with yet");
}

}  // namespace
}  // namespace gprofhub::reporter
