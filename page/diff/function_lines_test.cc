#include "page/diff/function_lines.h"

#include <gtest/gtest.h>

#include <limits>

namespace gprofhub::page {
namespace {

profile::ComputedProfile Profile() {
  profile::ComputedProfile profile;
  profile.strings = {"", "first", "second", "third", "elsewhere", "unknown", "./db/a.cc", "b.cc"};
  const auto add = [&](uint32_t name, uint32_t file, uint32_t line) {
    profile::FunctionCost function;
    function.name = name;
    function.file = file;
    function.line = line;
    profile.functions.push_back(function);
  };
  add(2, 6, 40);
  add(1, 6, 10);
  add(4, 7, 20);
  add(3, 6, 90);
  add(5, 0, 0);
  return profile;
}

TEST(FunctionLinesTest, AFunctionEndsBeforeTheNextOfItsFile) {
  const auto lines = FunctionLinesOf(Profile(), "first");
  ASSERT_TRUE(lines.has_value());
  EXPECT_EQ(lines->file, "db/a.cc");
  EXPECT_EQ(lines->lines.first, 10u);
  EXPECT_EQ(lines->lines.last, 39u);
  EXPECT_EQ(FunctionLinesOf(Profile(), "second")->lines.last, 89u);
}

TEST(FunctionLinesTest, TheLastGoesOnToTheEnd) {
  EXPECT_EQ(FunctionLinesOf(Profile(), "third")->lines.last, std::numeric_limits<uint32_t>::max());
}

TEST(FunctionLinesTest, WithoutAPlaceThereAreNone) {
  EXPECT_FALSE(FunctionLinesOf(Profile(), "unknown").has_value());
  EXPECT_FALSE(FunctionLinesOf(Profile(), "gone").has_value());
}

}  // namespace
}  // namespace gprofhub::page
