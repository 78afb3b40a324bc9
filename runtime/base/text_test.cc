#include <gtest/gtest.h>

#include <cstdint>
#include <string>

extern "C" {
#include "runtime/base/text.h"
}

namespace {

TEST(RuntimeText, IsCutAtItsEndAndSaysSo) {
  char bytes[6] = "dirty";
  gh_text text = gh_text_in(bytes, sizeof bytes);
  EXPECT_STREQ(bytes, "");
  gh_put(&text, "abcde");
  EXPECT_STREQ(bytes, "abcde");
  EXPECT_FALSE(text.cut);
  gh_put(&text, "");
  EXPECT_FALSE(text.cut);
  gh_put(&text, "f");
  EXPECT_STREQ(bytes, "abcde");
  EXPECT_EQ(text.length, 5u);
  EXPECT_TRUE(text.cut);
}

TEST(RuntimeText, HasNumbersInDecimal) {
  for (const uint64_t number : {uint64_t{0}, uint64_t{10}, uint64_t{987654321}, UINT64_MAX}) {
    char bytes[32];
    gh_text text = gh_text_in(bytes, sizeof bytes);
    gh_put_number(&text, number);
    EXPECT_EQ(bytes, std::to_string(number));
  }
}

TEST(RuntimeText, ComparesWholeStringsAndPrefixes) {
  EXPECT_TRUE(gh_equal("", ""));
  EXPECT_TRUE(gh_equal("one", "one"));
  EXPECT_FALSE(gh_equal("one", "ones"));
  EXPECT_FALSE(gh_equal("ones", "one"));
  EXPECT_STREQ(gh_after("NAME=value", "NAME="), "value");
  EXPECT_STREQ(gh_after("NAME=", "NAME="), "");
  EXPECT_EQ(gh_after("NAME", "NAME="), nullptr);
  EXPECT_EQ(gh_after("", "NAME="), nullptr);
}

TEST(RuntimeText, KnowsTheLastComponentOfAPath) {
  EXPECT_STREQ(gh_base_name("/usr/bin/true"), "true");
  EXPECT_STREQ(gh_base_name("true"), "true");
  EXPECT_STREQ(gh_base_name("/usr/bin/"), "");
}

TEST(RuntimeText, TakesDecimalNumbers) {
  const char* at = "0042:rest";
  uint64_t number = 7;
  ASSERT_TRUE(gh_take_number(&at, &number));
  EXPECT_EQ(number, 42u);
  EXPECT_STREQ(at, ":rest");
  EXPECT_FALSE(gh_take_number(&at, &number));
  EXPECT_STREQ(at, ":rest");
  for (const char* const none : {"", "-1", "x"}) {
    at = none;
    EXPECT_FALSE(gh_take_number(&at, &number)) << none;
  }
}

TEST(RuntimeText, TakesNumbersBeyond64BitsForTheLargest) {
  for (const char* const text : {"18446744073709551615", "18446744073709551616",
                                 "184467440737095516150", "99999999999999999999999"}) {
    const char* at = text;
    uint64_t number = 0;
    ASSERT_TRUE(gh_take_number(&at, &number));
    EXPECT_EQ(number, UINT64_MAX) << text;
    EXPECT_STREQ(at, "");
  }
}

TEST(RuntimeText, TakesHexadecimalNumbers) {
  const char* at = "7fff00a0-rest";
  EXPECT_EQ(gh_take_hex(&at), 0x7fff00a0u);
  EXPECT_STREQ(at, "-rest");
  EXPECT_EQ(gh_take_hex(&at), 0u);
  EXPECT_STREQ(at, "-rest");
}

}  // namespace
