#include "reporter/rendering/text.h"

#include <gtest/gtest.h>

#include <string>

#include "reporter/findings/diff_lines.h"
#include "reporter/testing/sample_reports.h"

namespace gprofhub::reporter {
namespace {

TEST(RenderText, NothingOfAHostileNameReachesTheTerminal) {
  const std::string text = RenderText(HostileReport(), {});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
  EXPECT_EQ(text.find("\u202E"), std::string::npos);
  EXPECT_EQ(text.find("\n# heading"), std::string::npos);
}

TEST(RenderText, NamesWhatWasNotComparedAndSaysWhy) {
  v1::Report report = JsonReport();
  v1::NotCompared& left_out = *report.mutable_compared()->add_not_compared();
  left_out.set_target("//a:one");
  left_out.set_reason("out of a cache\x1b[2J");
  EXPECT_NE(RenderText(report, {}).find("\nnot compared: //a:one: out of a cache<U+001B>[2J\n"),
            std::string::npos);
}

TEST(RenderText, SaysWhichCallsAreCounted) {
  EXPECT_NE(RenderText(JsonReport(), {})
                .find("\ncalls: of functions built with -pg; calls of others, as in libc and "
                      "libstdc++, are not counted\n"),
            std::string::npos);
}

TEST(RenderText, ColoursOnlyWhenAsked) {
  TextOptions options;
  EXPECT_EQ(RenderText(JsonReport(), options).find('\x1b'), std::string::npos);
  options.color = true;
  EXPECT_NE(RenderText(JsonReport(), options).find('\x1b'), std::string::npos);
}

TEST(RenderText, SaysWhatChangedInWords) {
  const std::string text = RenderText(JsonReport(), {});
  EXPECT_NE(text.find("jsonAppendChar  [sqlite3.c:206140]"), std::string::npos) << text;
  EXPECT_NE(text.find("called 239,477×, was 155,620; jsonPrintf calls it 239× per call, was 156"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("new: called 12×"), std::string::npos) << text;
}

TEST(RenderText, SaysWhatLiesInTheDiff) {
  v1::Report report = JsonReport();
  EXPECT_EQ(RenderText(report, TextOptions()).find("in the diff"), std::string::npos);
  MarkChangedLines({{"sqlite3.c", {{206140, 206141}}}}, report);
  EXPECT_NE(RenderText(report, TextOptions()).find("[sqlite3.c:206140, in the diff]"),
            std::string::npos);
}

TEST(RenderText, HasASectionOfTotalTimes) {
  EXPECT_NE(RenderText(ReportWithTotalTime(), {}).find("\nTimes with everything called (1):\n"),
            std::string::npos);
}

}  // namespace
}  // namespace gprofhub::reporter
