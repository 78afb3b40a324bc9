#include "cli/bisect/result_text.h"

#include <gtest/gtest.h>

namespace gprofhub::cli {
namespace {

// Five commits; the third one changed the count.
BisectReport Found() {
  BisectReport report;
  report.question = {"//db:test", "next", "parse"};
  for (const char c : std::string("abcde")) {
    report.line.commits.push_back(
        {std::string(40, c), "A. Uthor", "2026-11-23", std::string("subject of ") + c});
  }
  report.result.levels = {10, 12345678};
  report.result.range = {1, 2};
  report.result.tested = {{0, Tested::kOld, {{10, 10}, ""}},
                          {1, Tested::kOld, {{10}, ""}},
                          {2, Tested::kNew, {{12345678}, ""}},
                          {3, Tested::kSkipped, {{}, "it does not build"}},
                          {4, Tested::kNew, {{12345678, 12345678}, ""}}};
  return report;
}

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(BisectText, BeginsWithTheCommit) {
  const std::string text = BisectText(Found());
  EXPECT_TRUE(Has(text,
                  "Calls of next from parse in //db:test: 10 before, 12345678 after\n\n"
                  "The first commit with the new count:\ncccccccccccc  2026-11-23  A. Uthor\n"
                  "  subject of c\n"))
      << text;
  EXPECT_TRUE(Has(text, "skipped dddddddddddd: it does not build\n"));
  EXPECT_FALSE(Has(text, "other commits"));
}

TEST(BisectText, SaysThatTheChangeCameInSteps) {
  BisectReport report = Found();
  report.result.tested[1].measurement.counts = {11};
  EXPECT_TRUE(Has(BisectText(report),
                  "This commit changes the count from 11 to 12345678; other "
                  "commits of the range change it, too."));
}

TEST(BisectText, GivesTheRangeThatIsLeft) {
  BisectReport report = Found();
  report.result.range = {0, 3};
  EXPECT_TRUE(Has(BisectText(report), "It is one of 3 commits"));
  report.result.finished = false;
  EXPECT_TRUE(Has(BisectText(report), "Not finished: 3 commits are left"));
}

TEST(BisectText, ShowsNothingThatCommandsATerminal) {
  BisectReport report = Found();
  report.line.commits[2].subject = "\x1b[2J";
  report.question.function = "\x1b[2J";
  EXPECT_FALSE(Has(BisectText(report), "\x1b"));
}

TEST(BisectJson, HasTheFirstCommitAndAllThatWereTested) {
  const nlohmann::ordered_json json = BisectJson(Found());
  EXPECT_EQ(json["first"]["commit"], std::string(40, 'c'));
  EXPECT_EQ(json["suspects"].size(), 1u);
  EXPECT_EQ(json["tested"].size(), 5u);
  EXPECT_EQ(json["tested"][3]["level"], "skipped");
  EXPECT_EQ(json["tested"][3]["skipped"], "it does not build");
  EXPECT_EQ(json["caller"], "parse");
}

TEST(BisectJson, HasNoFirstCommitWhereARangeIsLeft) {
  BisectReport report = Found();
  report.result.range = {1, 4};
  const nlohmann::ordered_json json = BisectJson(report);
  EXPECT_TRUE(json["first"].is_null());
  EXPECT_EQ(json["suspects"].size(), 3u);
}

}  // namespace
}  // namespace gprofhub::cli
