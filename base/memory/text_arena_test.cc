#include "base/memory/text_arena.h"

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

}  // namespace
}  // namespace gprofhub::base
