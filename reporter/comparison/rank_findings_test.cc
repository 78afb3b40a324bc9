#include "reporter/comparison/rank_findings.h"

#include <gmock/gmock.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "reporter/testing/made_findings.h"

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Functions(const v1::Report& report) {
  std::vector<std::string> functions;
  for (const v1::Finding& finding : report.findings()) functions.push_back(finding.function());
  return functions;
}

constexpr size_t kAll = 1000;

void Rank(std::vector<v1::Finding> findings, v1::Report& report, size_t most = kAll) {
  RankFindings(
      std::move(findings), {}, most, [](const QuietFinding&) { return v1::Finding(); }, report);
}

v1::Finding WithImpact(v1::Finding finding, double impact) {
  finding.set_impact(impact);
  return finding;
}

TEST(RankFindings, TheLargerShareOfCpuComesFirst) {
  v1::Report report;
  Rank({WithImpact(Calls("small", "main"), 0.1), WithImpact(Calls("large", "main"), 0.2)}, report);
  EXPECT_THAT(Functions(report), ElementsAre("large", "small"));
}

TEST(RankFindings, AFunctionsFindingsStandSideBySideArcsFirst) {
  v1::Report report;
  Rank({WithImpact(Calls("f"), 0.1), WithImpact(Calls("g", "main"), 0.2),
        WithImpact(Calls("f", "main"), 0.3)},
       report);
  EXPECT_THAT(Functions(report), ElementsAre("f", "f", "g"));
  EXPECT_EQ(report.findings(0).caller(), "main");
}

TEST(RankFindings, WhatMayFollowComesAfterWhatItMayFollowFrom) {
  v1::Finding large = WithImpact(Calls("large", "main"), 0.9);
  large.set_may_follow(true);
  v1::Report report;
  Rank({large, WithImpact(Calls("large"), 0.9), WithImpact(Calls("cause", "main"), 0.1)}, report);
  EXPECT_THAT(Functions(report), ElementsAre("cause", "large", "large"));
}

TEST(RankFindings, WhatIsSavedComesAfterWhatCosts) {
  v1::Finding saved = WithImpact(Calls("saved", "main"), 0.9);
  saved.set_verdict(v1::Finding::IMPROVED);
  v1::Finding gone = WithImpact(Calls("both", "main"), 0.5);
  gone.set_verdict(v1::Finding::VANISHED);
  v1::Report report;
  Rank({saved, gone, WithImpact(Calls("both", "other"), 0.1),
        WithImpact(Calls("cost", "main"), 0.2)},
       report);
  EXPECT_THAT(Functions(report), ElementsAre("both", "both", "cost", "saved"));
}

TEST(RankFindings, WhatOnlyMovedComesAfterWhatDoesNotMatter) {
  v1::Finding moved = WithImpact(Calls("moved", "main"), 0.9), minor = Calls("minor", "main");
  moved.set_verdict(v1::Finding::SHIFTED);
  minor.set_material(false);
  v1::Report report;
  Rank({moved, minor, Calls("cause", "main")}, report);
  EXPECT_THAT(Functions(report), ElementsAre("cause", "minor", "moved"));
}

TEST(RankFindings, SaysWhatIsNotListed) {
  v1::Report report;
  Rank({Calls("f"), Calls("g"), Calls("h")}, report, 1);
  EXPECT_THAT(Functions(report), ElementsAre("f"));
  EXPECT_EQ(report.warnings(0), "2 less important findings are not listed");
  v1::Report all;
  Rank({Calls("f"), Calls("g")}, all, 2);
  EXPECT_EQ(all.warnings_size(), 0) << "nothing was left out";
}

// Time findings without a change.
std::vector<v1::Finding> UnchangedTimes() {
  std::vector<v1::Finding> findings;
  for (const auto& [name, weight, verdict] : {std::tuple("light", 0.1, v1::Finding::CANNOT_TELL),
                                              std::tuple("same", 0.9, v1::Finding::EQUIVALENT),
                                              std::tuple("heavy", 0.5, v1::Finding::CANNOT_TELL)}) {
    for (const v1::Finding::Metric metric : {v1::Finding::TOTAL_TIME, v1::Finding::SELF_TIME}) {
      v1::Finding finding = MakeFinding(name, metric);
      finding.set_verdict(verdict);
      finding.set_weight(weight);
      findings.push_back(finding);
    }
  }
  return findings;
}

TEST(RankFindings, QuietOnesStandWhereTheirFindingsWouldStand) {
  const std::vector<v1::Finding> times = UnchangedTimes();
  v1::Finding varies = Calls("heavy", "main");
  varies.set_verdict(v1::Finding::CANNOT_TELL);
  const v1::Finding cause = Calls("cause", "main");
  std::vector<v1::Finding> whole = times;
  whole.insert(whole.begin(), {varies, cause});
  std::vector<QuietFinding> quiet;
  for (const v1::Finding& time : times) {
    quiet.push_back({time.verdict(), time.metric(), time.weight(), time.target(), time.function(),
                     quiet.size()});
  }
  for (const size_t most : {kAll, size_t{5}, size_t{1}}) {
    v1::Report expected, report;
    Rank(whole, expected, most);
    RankFindings(
        {varies, cause}, quiet, most, [&](const QuietFinding& one) { return times[one.source]; },
        report);
    EXPECT_EQ(report.SerializeAsString(), expected.SerializeAsString()) << most;
  }
}

}  // namespace
}  // namespace gprofhub::reporter
