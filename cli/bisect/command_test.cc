#include "cli/bisect/command.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::cli {

namespace {

BisectReport Finished() {
  BisectReport report;
  report.question = {"//text:words_test", "next_word", "parse"};
  for (const char digit : {'a', 'b', 'c'}) {
    report.line.commits.push_back({std::string(40, digit), "A. Uthor", "2026-11-23", "Subject"});
  }
  report.result.range = {1, 2};
  return report;
}

const Range kRange = {std::string(40, '0'), std::string(40, 'c')};

TEST(CulpritRequestTest, SaysWhatWasSearchedAndWhatWasFound) {
  const auto request = CulpritRequest(Finished(), kRange);
  ASSERT_TRUE(request.has_value());
  EXPECT_EQ(request->target(), "//text:words_test");
  EXPECT_EQ(request->function(), "next_word");
  EXPECT_EQ(request->caller(), "parse");
  EXPECT_EQ(request->base_commit(), kRange.base) << "not the merge base that stood for it";
  EXPECT_EQ(request->head_commit(), kRange.head);
  EXPECT_EQ(request->culprit().commit(), std::string(40, 'c'));
  EXPECT_EQ(request->culprit().author(), "A. Uthor");
  EXPECT_EQ(request->culprit().date(), "2026-11-23");
  EXPECT_EQ(request->culprit().subject(), "Subject");
}

TEST(CulpritRequestTest, SaysNothingBeforeOneCommitIsFound) {
  BisectReport report = Finished();
  report.result.range = {0, 2};
  EXPECT_FALSE(CulpritRequest(report, kRange).has_value());
  report = Finished();
  report.result.finished = false;
  EXPECT_FALSE(CulpritRequest(report, kRange).has_value());
}

TEST(CulpritRequestTest, TextsOfGitAreCutToWhatTheServerTakes) {
  BisectReport report = Finished();
  std::string subject;
  for (int i = 0; i < 1000; ++i) subject += "\xF0\x9F\x9A\x80";
  report.line.commits[2].subject = subject;
  report.line.commits[2].author = std::string("\xFF\0x", 3);
  const auto request = CulpritRequest(report, kRange);
  EXPECT_LE(request->culprit().subject().size(), 1000u);
  EXPECT_EQ(request->culprit().author().find('\0'), std::string::npos);
  EXPECT_TRUE(request->SerializeAsString().size() > 0);
}

}  // namespace

}  // namespace gprofhub::cli
