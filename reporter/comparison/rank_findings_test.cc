#include "reporter/comparison/rank_findings.h"

#include <gmock/gmock.h>

#include <string>
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

v1::Finding WithImpact(v1::Finding finding, double impact) {
  finding.set_impact(impact);
  return finding;
}

TEST(RankFindings, TheLargerShareOfCpuComesFirst) {
  v1::Report report;
  RankFindings({WithImpact(Calls("small", "main"), 0.1), WithImpact(Calls("large", "main"), 0.2)},
               report);
  EXPECT_THAT(Functions(report), ElementsAre("large", "small"));
}

TEST(RankFindings, AFunctionsFindingsStandSideBySideArcsFirst) {
  v1::Report report;
  RankFindings({WithImpact(Calls("f"), 0.1), WithImpact(Calls("g", "main"), 0.2),
                WithImpact(Calls("f", "main"), 0.3)},
               report);
  EXPECT_THAT(Functions(report), ElementsAre("f", "f", "g"));
  EXPECT_EQ(report.findings(0).caller(), "main");
}

TEST(RankFindings, WhatMayFollowComesAfterWhatItMayFollowFrom) {
  v1::Finding large = WithImpact(Calls("large", "main"), 0.9);
  large.set_may_follow(true);
  v1::Report report;
  RankFindings({large, WithImpact(Calls("large"), 0.9), WithImpact(Calls("cause", "main"), 0.1)},
               report);
  EXPECT_THAT(Functions(report), ElementsAre("cause", "large", "large"));
}

TEST(RankFindings, WhatIsSavedComesAfterWhatCosts) {
  v1::Finding saved = WithImpact(Calls("saved", "main"), 0.9);
  saved.set_verdict(v1::Finding::IMPROVED);
  v1::Finding gone = WithImpact(Calls("both", "main"), 0.5);
  gone.set_verdict(v1::Finding::VANISHED);
  v1::Report report;
  RankFindings({saved, gone, WithImpact(Calls("both", "other"), 0.1),
                WithImpact(Calls("cost", "main"), 0.2)},
               report);
  EXPECT_THAT(Functions(report), ElementsAre("both", "both", "cost", "saved"));
}

TEST(RankFindings, WhatOnlyMovedComesAfterWhatDoesNotMatter) {
  v1::Finding moved = WithImpact(Calls("moved", "main"), 0.9), minor = Calls("minor", "main");
  moved.set_verdict(v1::Finding::SHIFTED);
  minor.set_material(false);
  v1::Report report;
  RankFindings({moved, minor, Calls("cause", "main")}, report);
  EXPECT_THAT(Functions(report), ElementsAre("cause", "minor", "moved"));
}

TEST(LimitFindings, SaysWhatItLeftOut) {
  v1::Report report = MakeReport({Calls("f"), Calls("g"), Calls("h")});
  LimitFindings(report, 1);
  EXPECT_THAT(Functions(report), ElementsAre("f"));
  EXPECT_EQ(report.warnings(0), "2 less important findings are not listed");
  LimitFindings(report, 1);
  EXPECT_EQ(report.warnings_size(), 1) << "nothing was left out";
}

}  // namespace
}  // namespace gprofhub::reporter
