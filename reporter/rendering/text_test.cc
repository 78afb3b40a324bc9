#include "reporter/rendering/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "reporter/findings/diff_lines.h"
#include "reporter/findings/finding_id.h"
#include "reporter/testing/made_findings.h"
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
                .find("\ncalls: of functions built with -pg; of others, as in libc and libstdc++, "
                      "only with GPROFHUB_LIBRARY_CALLS=1\n"),
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
  EXPECT_NE(text.find("  + jsonPrintf calls jsonAppendChar 239× per call, was 156×: 239,477 calls, "
                      "were 155,620 (+54%, one run each)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("main now calls jsonCache: 12 calls, were none"), std::string::npos) << text;
  EXPECT_NE(text.find("\nand 1 function that follows from the changes, cannot tell about the time "
                      "of 6 functions (--all lists them)\n"),
            std::string::npos)
      << text;
}

TEST(RenderText, NamesFindingsSoThatTheyCanBeExplained) {
  const v1::Report report = JsonReport();
  const std::string id = FindingId(report.findings(0));
  for (const bool all : {false, true}) {
    EXPECT_NE(RenderText(report, {false, all}).find("finding " + id), std::string::npos) << all;
  }
}

TEST(RenderText, ListsAllWhenAsked) {
  v1::Report report;
  report.mutable_compared()->mutable_base()->set_commit("1111");
  for (int i = 0; i < 300; ++i) {
    v1::Finding finding = Calls("function_" + std::to_string(i), "caller_" + std::to_string(i));
    *report.add_findings() = finding;
  }
  const std::string brief = RenderText(report, {});
  EXPECT_LE(std::count(brief.begin(), brief.end(), '\n'), 24) << brief;
  EXPECT_NE(brief.find("\nand 297 further changes that cost more (--all lists them)\n"),
            std::string::npos)
      << brief;
  const std::string all = RenderText(report, {false, true});
  for (int i = 0; i < 300; ++i) {
    EXPECT_NE(all.find("function_" + std::to_string(i) + "  "), std::string::npos) << i;
  }
}

TEST(RenderText, SaysWhatLiesInTheDiff) {
  v1::Report report = JsonReport();
  EXPECT_EQ(RenderText(report, TextOptions()).find("in the diff"), std::string::npos);
  MarkChangedLines({{"sqlite3.c", {{206140, 206141}}}}, report);
  EXPECT_NE(RenderText(report, TextOptions()).find("[sqlite3.c:206140, in the diff]"),
            std::string::npos);
}

TEST(RenderText, HasASectionOfTotalTimes) {
  EXPECT_NE(RenderText(ReportWithTotalTime(), {false, true})
                .find("\nTimes with everything called (1):\n"),
            std::string::npos);
}

}  // namespace
}  // namespace gprofhub::reporter
