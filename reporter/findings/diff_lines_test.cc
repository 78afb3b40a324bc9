#include "reporter/findings/diff_lines.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

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

}  // namespace
}  // namespace gprofhub::reporter
