#include "reporter/findings/diff_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gprofhub::reporter {

namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

v1::Compared Tests(int compared, int unchanged, int not_compared) {
  v1::Compared tests;
  for (int i = 0; i < compared; ++i) tests.add_targets("//a:compared");
  for (int i = 0; i < unchanged; ++i) tests.add_unchanged_targets("//a:unchanged");
  for (int i = 0; i < not_compared; ++i) tests.add_not_compared()->set_target("//a:unknown");
  return tests;
}

TEST(Coverage, SaysHowManyTestsWereNotCompared) {
  EXPECT_EQ(NotComparedWords(Tests(3, 2, 0)), "");
  EXPECT_EQ(NotComparedWords(Tests(3, 1, 1)), "1 of 5 tests was not compared");
  EXPECT_EQ(NotComparedWords(Tests(3, 0, 2)), "2 of 5 tests were not compared");
  EXPECT_EQ(NotComparedWords(Tests(0, 0, 2)), "none of the 2 tests could be compared");
  EXPECT_EQ(NotComparedWords(Tests(0, 0, 1)), "the test could not be compared");
}

TEST(Coverage, NothingComparedIsNotTheSame) {
  EXPECT_EQ(NothingComparedWords(Tests(1, 2, 3)), "");
  EXPECT_EQ(NothingComparedWords(Tests(0, 2, 0)), "the binary of every test is the base's");
  EXPECT_EQ(NothingComparedWords(Tests(0, 2, 1)),
            "the binaries of the other tests are the base's; 1 of 3 tests was not compared");
  EXPECT_EQ(NothingComparedWords(Tests(0, 0, 2)), "none of the 2 tests could be compared");
  v1::Compared apart;
  apart.add_new_targets("//a:new");
  EXPECT_EQ(NothingComparedWords(apart), "no test is on both sides");
}

TEST(Coverage, TargetsOfOneReasonStandTogether) {
  v1::Compared compared;
  for (const auto& [target, reason] : {std::pair("//a", "x"), {"//b", "y"}, {"//c", "x"}}) {
    v1::NotCompared& one = *compared.add_not_compared();
    one.set_target(target);
    one.set_reason(reason);
  }
  EXPECT_THAT(NotComparedByReason(compared),
              ElementsAre(Pair("x", ElementsAre("//a", "//c")), Pair("y", ElementsAre("//b"))));
}

constexpr char kPatch[] =
    "@@ -1,3 +1,4 @@ int main() {\n"
    " a\n"
    "-b\n"
    "+B\n"
    "+c\n"
    " d\n"
    "@@ -20 +21,2 @@\n"
    " x\n"
    "+y\n"
    "\\ No newline at end of file";

TEST(LinesOfPatchTest, AreThoseOfTheNewSide) {
  const std::vector<LineRange> ranges = LinesOfPatch(kPatch);
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges[0].first, 2u);
  EXPECT_EQ(ranges[0].last, 3u);
  EXPECT_EQ(ranges[1].first, 22u);
  EXPECT_EQ(ranges[1].last, 22u);
}

TEST(LinesOfPatchTest, WhatIsNoHunkIsPassedOver) {
  for (const char* text : {"", "+a", "@@ nothing", "@@ -1 +", "@@ -1 +99999999999 @@\n+x"}) {
    EXPECT_TRUE(LinesOfPatch(text).empty()) << text;
  }
}

TEST(LinesOfGitDiffTest, KeepsFilesApart) {
  const ChangedLines changed = LinesOfGitDiff(
      "diff --git a/x.c b/x.c\n--- a/x.c\n+++ b/x.c\n@@ -1 +1,2 @@\n a\n+++ b/odd\n"
      "diff --git a/gone.c b/gone.c\n--- a/gone.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
      "diff --git a/d/y.c b/d/y.c\n--- a/d/y.c\n+++ b/d/y.c\n@@ -9 +10 @@\n+z\n");
  EXPECT_TRUE(IsChanged(changed, "x.c", 2)) << "a line of the file that looks like a heading";
  EXPECT_FALSE(IsChanged(changed, "x.c", 1));
  EXPECT_TRUE(IsChanged(changed, "d/y.c", 10));
  EXPECT_FALSE(IsChanged(changed, "gone.c", 1));
  EXPECT_FALSE(IsChanged(changed, "other.c", 1));
}

TEST(MarkChangedLinesTest, MarksFindingsBySite) {
  v1::Report report;
  for (const auto& [file, line] : {std::pair("x.c", 7), {"./x.c", 7}, {"x.c", 8}, {"y.c", 7}}) {
    v1::Site* site = report.add_findings()->mutable_site();
    site->set_file(file);
    site->set_line(line);
  }
  report.add_findings();
  MarkChangedLines({{"x.c", {{6, 7}}}}, report);
  const std::vector<bool> expected = {true, true, false, false, false};
  for (int i = 0; i < report.findings_size(); ++i) {
    EXPECT_EQ(report.findings(i).in_diff(), expected[i]) << i;
  }
}

TEST(MarkChangedLinesTest, ACallBelowAChangedLineIsNotTheTestsInput) {
  for (const auto& [line, is_input] : {std::pair(5, true), {6, false}, {17, false}, {18, true}}) {
    v1::Report report;
    v1::Finding& finding = *report.add_findings();
    finding.set_metric(v1::Finding::CALLS);
    finding.set_caller("main");
    finding.set_in_test(true);
    finding.set_test_input(true);
    finding.mutable_site()->set_file("x.h");
    finding.mutable_site()->set_line(line);
    MarkChangedLines({{"x.h", {{6, 7}}}}, report);
    EXPECT_EQ(finding.test_input(), is_input) << line;
    EXPECT_EQ(finding.in_test(), is_input) << line;
  }
}

TEST(RerunWordsTest, CountsTestsAndTheMostRunsOfOne) {
  v1::Report report;
  EXPECT_EQ(RerunWords(CountReruns(report)), "");
  report.add_reruns()->set_runs(1);
  EXPECT_EQ(RerunWords(CountReruns(report)), "1 test would be decided by 1 more run");
  report.add_reruns()->set_runs(1);
  EXPECT_EQ(RerunWords(CountReruns(report)), "2 tests would be decided by 1 more run");
  report.add_reruns()->set_runs(3);
  EXPECT_EQ(RerunWords(CountReruns(report)), "3 tests would be decided by up to 3 more runs");
}

TEST(RerunWordsTest, TheCommandNamesARunOfTheServerAlone) {
  v1::Report report;
  EXPECT_EQ(RerunListCommand(report), "gprofhub rerun-list");
  report.mutable_compared()->mutable_head()->set_run_id("12");
  EXPECT_EQ(RerunListCommand(report), "gprofhub rerun-list 12");
  report.mutable_compared()->mutable_head()->set_run_id("after/12");
  EXPECT_EQ(RerunListCommand(report), "gprofhub rerun-list");
}

TEST(ToolchainLabel, OfTwoCompilersHasVersionsAndLevels) {
  EXPECT_EQ(ToolchainLabel("gcc 12.2.0 -O2 -march=x86-64 -mtune=generic", "clang 14.0.6 -O2"),
            "gcc 12.2.0 -O2 → clang 14.0.6 -O2");
  EXPECT_EQ(ToolchainLabel("gcc 11.4.0", "gcc 12.2.0"), "gcc 11.4.0 → gcc 12.2.0");
}

TEST(ToolchainLabel, OfOneCompilerHasTheOptionsThatDiffer) {
  EXPECT_EQ(ToolchainLabel("gcc 12.2.0 -O2 -march=x86-64", "gcc 12.2.0 -O3 -march=x86-64"),
            "gcc 12.2.0 -O2 → gcc 12.2.0 -O3");
  EXPECT_EQ(ToolchainLabel("gcc 12.2.0 -O2 -march=x86-64", "gcc 12.2.0 -O2 -march=x86-64-v2"),
            "gcc 12.2.0 -O2 -march=x86-64 → gcc 12.2.0 -O2 -march=x86-64-v2");
  EXPECT_EQ(ToolchainLabel("gcc 1 -O2", "gcc 1 -O2 -fa -fb -fc -fd -fe"),
            "gcc 1 -O2 → gcc 1 -O2 -fa -fb -fc … 2 more");
}

}  // namespace

}  // namespace gprofhub::reporter
