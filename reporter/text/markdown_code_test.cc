#include "reporter/text/markdown_code.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

TEST(MarkdownCode, LeavesNoWayOutOfTheSpan) {
  EXPECT_EQ(MarkdownCode("f()", false), "`f()`");
  EXPECT_EQ(MarkdownCode("a`b``c", false), "`a<U+0060>b<U+0060><U+0060>c`");
  EXPECT_EQ(MarkdownCode("x\n\n# big", false), "`x<U+000A><U+000A># big`");
  EXPECT_EQ(MarkdownCode("@all <img src=x>", false), "`@all <img src=x>`");
}

TEST(MarkdownCode, KeepsTheTableCellWhole) {
  EXPECT_EQ(MarkdownCode("operator||", true), "`operator\\|\\|`");
  EXPECT_EQ(MarkdownCode("operator||", false), "`operator||`");
  // A backslash in the name must not cancel the escape.
  EXPECT_EQ(MarkdownCode("a\\|b", true), "`a<U+005C>\\|b`");
}

TEST(MarkdownCode, CutsLongNamesInTheMiddle) {
  EXPECT_EQ(MarkdownCode("abcdefghij", false, 5), "`ab…ij`");
  EXPECT_EQ(MarkdownCode("", false), "");
}

}  // namespace
}  // namespace gprofhub::reporter
