#include "cli/command/terminal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "absl/strings/str_split.h"

namespace gprofhub::cli {

namespace {

TEST(ColumnsOf, CountsCharactersAndNoColours) {
  EXPECT_EQ(ColumnsOf(""), 0u);
  EXPECT_EQ(ColumnsOf("größe → 2"), 9u);
  EXPECT_EQ(ColumnsOf("\x1b[1m\x1b[31mred\x1b[0m"), 3u);
  EXPECT_EQ(ColumnsOf("🔴"), 2u);
  EXPECT_EQ(ColumnsOf("\x1b["), 0u) << "an escape sequence that ends too early";
  EXPECT_EQ(ColumnsOf("\xff"), 1u);
}

TEST(Wrapped, BreaksBetweenWords) {
  EXPECT_EQ(Wrapped("one two three", 8), "one two\nthree");
  EXPECT_EQ(Wrapped("one two three", 13), "one two three");
  EXPECT_EQ(Wrapped("one two three", 0), "one two three");
  EXPECT_EQ(Wrapped("a\n\nb c\n", 1), "a\n\nb\nc\n");
}

TEST(Wrapped, KeepsALongWordWhole) {
  EXPECT_EQ(Wrapped("see https://ci.example/compare/7 now", 10),
            "see\nhttps://ci.example/compare/7\nnow");
}

TEST(Wrapped, ContinuesBelowTheText) {
  EXPECT_EQ(Wrapped("    + one two three", 14), "    + one two\n    three");
  EXPECT_EQ(Wrapped("  --all   List every finding", 20), "  --all   List every\n          finding");
}

TEST(Wrapped, ColoursTakeNoColumns) {
  EXPECT_EQ(Wrapped("\x1b[31mone\x1b[0m two three", 8), "\x1b[31mone\x1b[0m two\nthree");
}

TEST(Wrapped, NoLineOfShortWordsIsTooLong) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += std::string(static_cast<size_t>(i % 7), 'x') + " ";
  for (size_t columns = 7; columns < 90; ++columns) {
    for (const auto line : absl::StrSplit(Wrapped("  -a  " + text, columns), '\n')) {
      EXPECT_LE(ColumnsOf(line), std::max<size_t>(columns, 12)) << line;
    }
  }
}

TEST(LinesOnScreen, CountsLinesThatTheTerminalWraps) {
  EXPECT_EQ(LinesOnScreen("a\nb\n", 80), 2u);
  EXPECT_EQ(LinesOnScreen("a\n\n" + std::string(81, 'x'), 80), 4u);
  EXPECT_EQ(LinesOnScreen(std::string(80, 'x') + "\n", 80), 1u);
}

TEST(Screen, AFileHasNoLimitAndNoColours) {
  testing::internal::CaptureStdout();
  const ScreenSize screen = StdoutScreen();
  const bool color = StdoutHasColor();
  testing::internal::GetCapturedStdout();
  EXPECT_EQ(screen.columns, 0u);
  EXPECT_EQ(screen.lines, 0u);
  EXPECT_FALSE(color);
}

TEST(PagerCommand, IsOfTheEnvironment) {
  unsetenv("TERM");
  unsetenv("GPROFHUB_PAGER");
  unsetenv("PAGER");
  EXPECT_NE(PagerCommand().find("less -FRX"), std::string::npos);
  setenv("PAGER", "more", 1);
  EXPECT_EQ(PagerCommand(), "more");
  setenv("GPROFHUB_PAGER", "most", 1);
  EXPECT_EQ(PagerCommand(), "most");
  for (const char* none : {"", "cat"}) {
    setenv("GPROFHUB_PAGER", none, 1);
    EXPECT_EQ(PagerCommand(), "");
  }
  unsetenv("GPROFHUB_PAGER");
  setenv("TERM", "dumb", 1);
  EXPECT_EQ(PagerCommand(), "");
  unsetenv("TERM");
  unsetenv("PAGER");
}

TEST(PrintByPager, AMissingPagerPrintsNothing) {
  testing::internal::CaptureStderr();
  EXPECT_FALSE(PrintByPager("/nonexistent/pager", "text"));
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(PrintByPager("true", std::string(1 << 20, 'x'))) << "a pager may stop reading";
}

}  // namespace

}  // namespace gprofhub::cli
