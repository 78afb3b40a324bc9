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

TEST(RenderText, WithoutSamplesSaysThatNoShareIsKnown) {
  const std::string text = RenderText(UnsampledReport(), {});
  EXPECT_NE(text.find("1 change of calls without a known share of CPU (no samples)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("about 59% of the test's calls (share of CPU not known: no samples)"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("of the test's CPU"), text.find("of the test's CPU is estimated"));
  EXPECT_EQ(text.find("of a test's CPU"), std::string::npos) << text;
}

TEST(RenderText, SaysWhetherATotalTimeIsMeasured) {
  for (const bool measured : {false, true}) {
    const std::string text = RenderText(TotalsReport(measured), {});
    const char* const words =
        measured ? "time with all it calls (measured)" : "time with all it calls (estimated)";
    const char* const others = measured ? "(estimated)" : "(measured)";
    EXPECT_NE(text.find(words), std::string::npos) << text;
    EXPECT_EQ(text.find(others), std::string::npos) << text;
  }
}

TEST(RenderText, HasASectionOfTotalTimes) {
  EXPECT_NE(RenderText(ReportWithTotalTime(), {}).find("\nTimes with everything called (1):\n"),
            std::string::npos);
}

}  // namespace
}  // namespace gprofhub::reporter
