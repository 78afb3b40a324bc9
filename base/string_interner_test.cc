#include "base/string_interner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gprofhub::base {
namespace {

using ::testing::ElementsAre;

TEST(StringInterner, KeepsEachStringOnceInTheOrderInWhichTheyCome) {
  std::vector<std::string> strings;
  StringInterner interner(strings);
  EXPECT_EQ(interner.IndexOf("b"), 1u);
  EXPECT_EQ(interner.IndexOf("a"), 2u);
  EXPECT_EQ(interner.IndexOf("b"), 1u);
  EXPECT_THAT(strings, ElementsAre("", "b", "a"));
}

TEST(StringInterner, TheEmptyStringHasIndex0AndStandsOnce) {
  std::vector<std::string> strings = {""};
  StringInterner interner(strings);
  EXPECT_EQ(interner.IndexOf(""), 0u);
  EXPECT_THAT(strings, ElementsAre(""));
}

}  // namespace
}  // namespace gprofhub::base
