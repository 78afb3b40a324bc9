#include "reporter/text/screen_lines.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::reporter {
namespace {

TEST(ScreenLines, BreaksBetweenWords) {
  EXPECT_EQ(ScreenLines("one two", 7), 1u);
  EXPECT_EQ(ScreenLines("one two", 6), 2u);
  EXPECT_EQ(ScreenLines("one two\n", 7), 1u);
  EXPECT_EQ(ScreenLines("a\n\nb", 7), 3u);
}

TEST(ScreenLines, BreaksAWordThatIsTooLong) {
  EXPECT_EQ(ScreenLines(std::string(25, 'x'), 10), 3u);
  EXPECT_EQ(ScreenLines("a " + std::string(10, 'x'), 10), 2u);
}

TEST(ScreenLines, CountsCharactersAndNotBytes) {
  EXPECT_EQ(ScreenLines("××××", 4), 1u);
  EXPECT_EQ(ScreenLines("🔺🔺", 4), 1u);
  EXPECT_EQ(ScreenLines("🔺🔺", 3), 2u);
}

TEST(ScreenLines, LeavesOutWhatIsNotShown) {
  EXPECT_EQ(ScreenLines("<!-- gprofhub:db -->\nshown\n<!-- state -->\n", 80), 1u);
  EXPECT_EQ(ScreenLines("the [checks](https://forge.example/a/b) say", 16), 1u);
  EXPECT_EQ(ScreenLines("`a](b` and `c)d`", 15), 2u) << "code is shown as it is";
}

TEST(TerminalLines, ShowsEverything) {
  EXPECT_EQ(TerminalLines("<!-- x -->\nshown\n", 80), 2u);
  EXPECT_EQ(TerminalLines("](](](](](](", 6), 2u) << "there are no links";
}

}  // namespace
}  // namespace gprofhub::reporter
