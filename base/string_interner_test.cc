#include "base/string_interner.h"

#include <gtest/gtest.h>

namespace gprofhub::base {

namespace {

TEST(StringInterner, KeepsEachStringOnceInTheOrderInWhichTheyCome) {
  TextList strings;
  StringInterner interner(strings);
  EXPECT_EQ(interner.IndexOf("b"), 1u);
  EXPECT_EQ(interner.IndexOf("a"), 2u);
  EXPECT_EQ(interner.IndexOf("b"), 1u);
  EXPECT_EQ(strings, (TextList{"", "b", "a"}));
}

TEST(StringInterner, TheEmptyStringHasIndex0AndStandsOnce) {
  TextList strings = {""};
  StringInterner interner(strings);
  EXPECT_EQ(interner.IndexOf(""), 0u);
  EXPECT_EQ(strings, TextList{""});
}

}  // namespace

}  // namespace gprofhub::base
