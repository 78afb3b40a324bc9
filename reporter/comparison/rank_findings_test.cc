#include "reporter/comparison/rank_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "reporter/testing/compared_profiles.h"
#include "reporter/testing/memory_history.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

const char kO2[] = "gcc 12.2.0 -O2";
const char kO3[] = "gcc 12.2.0 -O3";

// Calls `hot` `hot` times, and `steady`, which is never inlined, `steady` times.
ProfileBuilder Compiled(const char* toolchain, uint64_t hot, uint64_t steady, double samples) {
  ProfileBuilder builder;
  builder.Function("main", 10, 990, "main.cc").Toolchain(toolchain, true);
  builder.Function("hot", samples, 0).Toolchain(toolchain);
  builder.Function("steady", samples, 0).Toolchain(toolchain, true);
  return std::move(
      builder.Arc("", "main", 1).Arc("main", "hot", hot).Arc("main", "steady", steady));
}

TEST(ToolchainFinding, StandsForWhatChangedWithIt) {
  const v1::Report report =
      CompareTwo(Compiled(kO2, 1000, 500, 500).Build(), Compiled(kO3, 200, 500, 9000).Build());
  ASSERT_GT(report.findings_size(), 0);
  const v1::Finding& group = report.findings(0);
  ASSERT_TRUE(group.has_toolchain());
  EXPECT_EQ(group.function(), "gcc 12.2.0 -O2 → gcc 12.2.0 -O3");
  EXPECT_EQ(group.toolchain().files(), 2u);
  EXPECT_EQ(group.toolchain().all_functions(), 3u);
  EXPECT_EQ(group.verdict(), v1::Finding::REGRESSED);
  EXPECT_TRUE(group.material());
  EXPECT_DOUBLE_EQ(group.before(), 10.1);
  EXPECT_DOUBLE_EQ(group.after(), 180.1);
  for (const v1::Finding& finding : report.findings()) {
    if (&finding == &group) continue;
    EXPECT_FALSE(finding.material()) << finding.function();
    EXPECT_EQ(finding.folded_under(), group.function()) << finding.function();
  }
  EXPECT_EQ(Find(report, "hot", "", v1::Finding::CALLS)->shift().kind(), v1::Shift::TOOLCHAIN);
  // A common cause of slower functions is not machine speed.
  EXPECT_EQ(report.compared().machine_speed_factor(), 0);
}

TEST(ToolchainFinding, ACountThatNoInliningExplainsIsNotFolded) {
  const v1::Report report =
      CompareTwo(Compiled(kO2, 1000, 500, 500).Build(), Compiled(kO3, 200, 900, 500).Build());
  const v1::Finding* const steady = Find(report, "steady", "", v1::Finding::CALLS);
  ASSERT_NE(steady, nullptr);
  EXPECT_EQ(steady->verdict(), v1::Finding::REGRESSED);
  EXPECT_TRUE(steady->beside_toolchain());
  EXPECT_FALSE(steady->material());
  EXPECT_EQ(steady->folded_under(), "");
  ASSERT_EQ(report.findings(0).toolchain().beside_size(), 1);
  EXPECT_EQ(report.findings(0).toolchain().beside(0), "steady");
}

TEST(ToolchainFinding, IsNoneWhereNothingIsKnownOrTheSame) {
  for (const char* toolchain : {"", kO2}) {
    const v1::Report report = CompareTwo(Compiled(kO2, 1000, 500, 500).Build(),
                                         Compiled(toolchain, 3000, 500, 500).Build());
    ASSERT_GT(report.findings_size(), 0);
    EXPECT_FALSE(report.findings(0).has_toolchain());
    EXPECT_TRUE(report.findings(0).material());
    EXPECT_EQ(report.findings(0).function(), "hot");
  }
}

// Six functions json… of each generation, and one function elsewhere.
ProfileBuilder Generation(const std::string& word, uint64_t calls, uint64_t elsewhere) {
  ProfileBuilder builder;
  builder.Function("main", 100, 900).Function("user", 100).Function("common", 200);
  builder.Function("elsewhere", 300).Arc("main", "user", 1).Arc("main", "elsewhere", elsewhere);
  for (uint64_t i = 0; i < 6; ++i) {
    const std::string name = absl::StrCat("json", word, i, "x");
    builder.Function(name, 50).Size(100 * (i + 1) * calls).Arc("user", name, calls + i);
  }
  return std::move(builder.Arc(absl::StrCat("json", word, "0x"), "common", 7 * calls));
}

TEST(RewriteFinding, StandsForItsFunctionsAndWhatTheyCallOtherwise) {
  const v1::Report report =
      CompareTwo(Generation("Old", 10, 5).Build(), Generation("New", 300, 5).Build());
  ASSERT_GT(report.findings_size(), 0);
  const v1::Finding& group = report.findings(0);
  ASSERT_TRUE(group.has_rewrite());
  EXPECT_EQ(group.function(), "json*");
  EXPECT_EQ(group.rewrite().pairs_size() + group.rewrite().gone_size(), 6);
  EXPECT_DOUBLE_EQ(group.rewrite().share_before(), 0.3);
  EXPECT_FALSE(group.material());
  for (const v1::Finding& finding : report.findings()) {
    if (&finding == &group || finding.metric() != v1::Finding::CALLS) continue;
    EXPECT_EQ(finding.folded_under(), "json*") << finding.function();
    EXPECT_FALSE(finding.material());
  }
}

// The same with `common` known to be out of line: `calls` calls of it, and each calls `deep` twice.
ProfileBuilder OutOfLine(const std::string& word, uint64_t calls) {
  ProfileBuilder builder = Generation(word, word == "Old" ? 10 : 300, 5);
  builder.Function("shared", 400).Toolchain(kO2, true).Function("deep", 100).Toolchain(kO2, true);
  return std::move(builder.Arc(absl::StrCat("json", word, "3x"), "shared", calls)
                       .Arc("shared", "deep", 2 * calls));
}

TEST(RewriteFinding, MoreCallsOfAnotherFunctionAreACauseOfTheirOwn) {
  const v1::Report report =
      CompareTwo(OutOfLine("Old", 1000).Build(), OutOfLine("New", 4000).Build());
  ASSERT_GT(report.findings_size(), 0);
  const v1::Finding& cause = report.findings(0);
  EXPECT_EQ(cause.function(), "shared");
  EXPECT_EQ(cause.caller(), "jsonNew3x");
  EXPECT_EQ(cause.verdict(), v1::Finding::REGRESSED);
  EXPECT_TRUE(cause.material());
  EXPECT_EQ(cause.before(), 0);
  EXPECT_EQ(cause.after(), 4000);
  EXPECT_THAT(cause.follows(), testing::ElementsAre("deep"));
  const v1::Finding* const shared = Find(report, "shared", "", v1::Finding::CALLS);
  ASSERT_NE(shared, nullptr);
  EXPECT_EQ(shared->folded_under(), "");
  for (const v1::Finding& finding : report.findings()) {
    EXPECT_EQ(finding.rewrite().calls_differ(), finding.has_rewrite());
  }
}

TEST(RewriteFinding, EqualCallsOfAnotherFunctionAreNone) {
  const v1::Report report =
      CompareTwo(OutOfLine("Old", 1000).Build(), OutOfLine("New", 1000).Build());
  ASSERT_GT(report.findings_size(), 0);
  ASSERT_TRUE(report.findings(0).has_rewrite());
  EXPECT_FALSE(report.findings(0).rewrite().calls_differ());
  for (const v1::Finding& finding : report.findings()) {
    EXPECT_FALSE(finding.metric() == v1::Finding::CALLS && finding.material());
  }
}

TEST(RewriteFinding, HidesNoChangeElsewhere) {
  const v1::Report report =
      CompareTwo(Generation("Old", 10, 5).Build(), Generation("New", 300, 50).Build());
  const v1::Finding* const elsewhere = Find(report, "elsewhere", "main", v1::Finding::CALLS);
  ASSERT_NE(elsewhere, nullptr);
  EXPECT_EQ(elsewhere->verdict(), v1::Finding::REGRESSED);
  EXPECT_TRUE(elsewhere->material());
  EXPECT_EQ(report.findings(0).function(), "elsewhere");
}

using ::testing::ElementsAre;

std::vector<std::string> Functions(const v1::Report& report) {
  std::vector<std::string> functions;
  for (const v1::Finding& finding : report.findings()) functions.push_back(finding.function());
  return functions;
}

void Rank(std::vector<v1::Finding> findings, v1::Report& report) {
  RankFindings(
      std::move(findings), {}, 0, [](const QuietFinding&) { return v1::Finding(); }, report);
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

// The difference of an inconclusive time is noise.
TEST(RankFindings, AnInconclusiveRewriteComesBetweenCostsAndSavings) {
  v1::Finding saved = WithImpact(Calls("saved", "main"), 0.9);
  saved.set_verdict(v1::Finding::IMPROVED);
  const auto rewrite = [](const char* file, double weight, double impact) {
    v1::Finding finding = WithImpact(MakeFinding(file, v1::Finding::SELF_TIME), impact);
    finding.set_verdict(v1::Finding::CANNOT_TELL);
    finding.set_weight(weight);
    finding.set_material(false);
    finding.mutable_rewrite();
    return finding;
  };
  v1::Finding faster = rewrite("faster.cc", 0.4, 0.95);
  faster.set_verdict(v1::Finding::IMPROVED);
  faster.set_material(true);
  v1::Report report;
  Rank({saved, rewrite("light.cc", 0.1, 0.08), rewrite("heavy.cc", 0.3, 0.01), faster,
        WithImpact(Calls("cost", "main"), 0.02)},
       report);
  EXPECT_THAT(Functions(report), ElementsAre("cost", "heavy.cc", "light.cc", "faster.cc", "saved"));
}

TEST(RankFindings, WhatOnlyMovedComesAfterWhatDoesNotMatter) {
  v1::Finding moved = WithImpact(Calls("moved", "main"), 0.9), minor = Calls("minor", "main");
  moved.set_verdict(v1::Finding::SHIFTED);
  minor.set_material(false);
  v1::Report report;
  Rank({moved, minor, Calls("cause", "main")}, report);
  EXPECT_THAT(Functions(report), ElementsAre("cause", "minor", "moved"));
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
  for (const size_t most : {size_t{100}, times.size(), size_t{5}, size_t{1}, size_t{0}}) {
    v1::Report expected, report;
    Rank(whole, expected);
    // Two are not quiet.
    if (most < times.size()) LimitFindings(most + 2, expected);
    RankFindings(
        {varies, cause}, quiet, most, [&](const QuietFinding& one) { return times[one.source]; },
        report);
    EXPECT_EQ(report.SerializeAsString(), expected.SerializeAsString()) << most;
  }
}

}  // namespace

}  // namespace gprofhub::reporter
