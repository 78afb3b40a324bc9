#include "base/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::base {

namespace {

TEST(GlobMatchesTest, StarsAndQuestionMarks) {
  EXPECT_TRUE(GlobMatches("", ""));
  EXPECT_TRUE(GlobMatches("*", ""));
  EXPECT_TRUE(GlobMatches("json*", "jsonAppend"));
  EXPECT_TRUE(GlobMatches("//db/*_test", "//db/a:b_test"));
  EXPECT_TRUE(GlobMatches("a?c*e", "abcde"));
  EXPECT_TRUE(GlobMatches("*ab*ab", "abaab"));
  EXPECT_TRUE(GlobMatches("operator*", "operator*"));
  EXPECT_FALSE(GlobMatches("json", "jsonAppend"));
  EXPECT_FALSE(GlobMatches("a?c", "ac"));
  EXPECT_FALSE(GlobMatches("*x", "abc"));
  EXPECT_FALSE(GlobMatches("", "a"));
}

TEST(GlobMatchesTest, SetsAndBackslashes) {
  EXPECT_TRUE(GlobMatches("run[0-9]", "run7"));
  EXPECT_TRUE(GlobMatches("run[!0-9]", "runs"));
  EXPECT_TRUE(GlobMatches("operator\\*", "operator*"));
  EXPECT_FALSE(GlobMatches("operator\\*", "operator+"));
  EXPECT_FALSE(GlobMatches("run[0-9]", "runs"));
}

TEST(GlobMatchesTest, ANameMatchesItself) {
  for (const char* name : {"operator[]", "name[abi:cxx11]", "f(int (&) [3])", "a\\b"}) {
    EXPECT_TRUE(GlobMatches(name, name)) << name;
  }
}

TEST(GlobMatchesTest, ANulByteEndsNothing) {
  const std::string text("ab\0c", 4);
  EXPECT_FALSE(GlobMatches("ab", text));
  EXPECT_FALSE(GlobMatches(text, "ab"));
}

TEST(GlobMatchesTest, ManyStarsTakeNoLonger) {
  std::string stars;
  for (int i = 0; i < 100; ++i) stars += "*a";
  EXPECT_FALSE(GlobMatches(stars + "b", std::string(1000, 'a')));
}

}  // namespace

}  // namespace gprofhub::base
