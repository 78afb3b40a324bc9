#include "base/text_arena.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace gprofhub::base {

namespace {

TEST(TextArena, WhatItKeepsOutlivesWhatItWasGiven) {
  TextArena arena;
  std::vector<absl::string_view> kept;
  for (int i = 0; i < 50'000; ++i) kept.push_back(arena.Keep(absl::StrCat("text ", i)));
  for (int i = 0; i < 50'000; ++i) ASSERT_EQ(kept[i], absl::StrCat("text ", i));
}

TEST(TextArena, ALongTextHasAPieceOfItsOwn) {
  TextArena arena;
  const absl::string_view before = arena.Keep("before");
  const std::string text(1'000'000, 'x');
  const absl::string_view kept = arena.Keep(text);
  const absl::string_view after = arena.Keep("after");
  EXPECT_EQ(before, "before");
  EXPECT_EQ(kept, text);
  EXPECT_EQ(after, "after");
}

TEST(TextArena, MovedItKeepsWhatItHad) {
  TextArena arena;
  const absl::string_view first = arena.Keep("first");
  TextArena other = std::move(arena);
  EXPECT_EQ(other.Keep("second"), "second");
  EXPECT_EQ(first, "first");
  arena = TextArena();
  EXPECT_EQ(arena.Keep("third"), "third");
}

TEST(TextArena, AnEmptyTextTakesNothing) { EXPECT_EQ(TextArena().Keep("").size(), 0u); }

std::vector<std::string> All(const TextList& list) {
  std::vector<std::string> all;
  for (const absl::string_view text : list) all.emplace_back(text);
  return all;
}

TEST(TextListTest, GivesTheTextsInTheirOrderAlsoEmptyOnes) {
  TextList list = {"", "first"};
  list.push_back("");
  list.push_back(std::string("with\0zero", 9));
  ASSERT_EQ(list.size(), 4u);
  EXPECT_EQ(list[0], "");
  EXPECT_EQ(list[1], "first");
  EXPECT_EQ(list[2], "");
  EXPECT_EQ(list[3], absl::string_view("with\0zero", 9));
  EXPECT_EQ(All(list), (std::vector<std::string>{"", "first", "", std::string("with\0zero", 9)}));
}

TEST(TextListTest, ACopyAndWhatWasMovedHaveTextsOfTheirOwn) {
  TextList list = {"a", "bc"};
  const TextList copy = list;
  TextList moved = std::move(list);
  moved.push_back("d");
  EXPECT_EQ(All(copy), (std::vector<std::string>{"a", "bc"}));
  EXPECT_EQ(All(moved), (std::vector<std::string>{"a", "bc", "d"}));
}

TEST(TextListTest, ListsAreEqualIfEachTextIs) {
  EXPECT_EQ((TextList{"a", "bc"}), (TextList{"a", "bc"}));
  EXPECT_NE((TextList{"a", "bc"}), (TextList{"ab", "c"}));
  EXPECT_NE((TextList{"a"}), (TextList{"a", ""}));
}

TEST(TextListTest, IsEmptyAfterItWasCleared) {
  TextList list = {"a"};
  list.clear();
  EXPECT_TRUE(list.empty());
  EXPECT_TRUE(All(list).empty());
}

}  // namespace

}  // namespace gprofhub::base
