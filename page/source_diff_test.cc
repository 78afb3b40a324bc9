#include "page/source_diff.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gprofhub::page {

namespace {

// "-3 text", "+4 text", " 3/4 text" for each line; hunks are separated by "@@".
std::string Shown(absl::string_view before, absl::string_view after) {
  const auto hunks = HunksBetween(before, after);
  if (!hunks.ok()) return std::string(hunks.status().message());
  std::string text;
  for (const DiffHunk& hunk : *hunks) {
    text += "@@\n";
    for (const DiffLine& line : hunk) {
      switch (line.kind) {
        case DiffLine::Kind::kRemoved:
          absl::StrAppend(&text, "-", line.before, " ", line.text, "\n");
          break;
        case DiffLine::Kind::kAdded:
          absl::StrAppend(&text, "+", line.after, " ", line.text, "\n");
          break;
        case DiffLine::Kind::kKept:
          absl::StrAppend(&text, " ", line.before, "/", line.after, " ", line.text, "\n");
      }
    }
  }
  return text;
}

std::string Numbered(int from, int to) {
  std::string text;
  for (int i = from; i <= to; ++i) absl::StrAppend(&text, "line ", i, "\n");
  return text;
}

TEST(SourceDiffTest, ChangedLinesStandBetweenThreeOthers) {
  const std::string before = Numbered(1, 20);
  const std::string after = Numbered(1, 9) + "new\nmore\n" + Numbered(11, 20);
  EXPECT_EQ(Shown(before, after),
            "@@\n 7/7 line 7\n 8/8 line 8\n 9/9 line 9\n-10 line 10\n+10 new\n+11 more\n"
            " 11/12 line 11\n 12/13 line 12\n 13/14 line 13\n");
}

TEST(SourceDiffTest, ChangesNearEachOtherAreOneHunk) {
  const std::string before = Numbered(1, 40);
  EXPECT_EQ(Shown(before, Numbered(1, 9) + Numbered(11, 12) + Numbered(14, 40)),
            "@@\n 7/7 line 7\n 8/8 line 8\n 9/9 line 9\n-10 line 10\n 11/10 line 11\n"
            " 12/11 line 12\n-13 line 13\n 14/12 line 14\n 15/13 line 15\n 16/14 line 16\n");
  const auto far = HunksBetween(before, Numbered(2, 30) + Numbered(32, 40));
  ASSERT_TRUE(far.ok());
  ASSERT_EQ(far->size(), 2u);
  EXPECT_EQ((*far)[0].front().text, "line 1");
  EXPECT_EQ((*far)[1].back().text, "line 34");
}

TEST(SourceDiffTest, FilesMayBeEmptyOrEndWithinALine) {
  EXPECT_EQ(Shown("", "a\nb"), "@@\n+1 a\n+2 b\n");
  EXPECT_EQ(Shown("a\nb\n", ""), "@@\n-1 a\n-2 b\n");
  EXPECT_EQ(Shown("a\n", "a"), "") << "the same lines";
  EXPECT_EQ(Shown("", ""), "");
  EXPECT_EQ(Shown("\n\n", "\n"), "@@\n 1/1 \n-2 \n");
}

TEST(SourceDiffTest, WhateverChangedBothSidesCanBeMadeOfIt) {
  // Few distinct lines, so that many are equal.
  uint32_t state = 1;
  const auto text = [&state] {
    std::string made;
    for (int i = 0; i < 60; ++i) {
      state = state * 1664525 + 1013904223;
      absl::StrAppend(&made, (state >> 24) % 5, "\n");
    }
    return made;
  };
  for (int round = 0; round < 50; ++round) {
    const std::string before = text(), after = text();
    const auto hunks = HunksBetween(before, after);
    ASSERT_TRUE(hunks.ok());
    std::vector<std::string> old_lines(61), new_lines(61);
    for (const DiffHunk& hunk : *hunks) {
      for (const DiffLine& line : hunk) {
        old_lines[line.before] = line.text;
        new_lines[line.after] = line.text;
      }
    }
    for (int i = 1; i <= 60; ++i) {
      const auto at = [i](const std::string& whole) {
        return whole.substr(2 * static_cast<size_t>(i - 1), 1);
      };
      if (!old_lines[i].empty()) {
        EXPECT_EQ(old_lines[i], at(before));
      }
      if (!new_lines[i].empty()) {
        EXPECT_EQ(new_lines[i], at(after));
      }
    }
  }
}

TEST(SourceDiffTest, TooMuchIsNotSearched) {
  std::string before, after;
  for (int i = 0; i < 5001; ++i) {
    absl::StrAppend(&before, "old ", i, "\n");
    absl::StrAppend(&after, "new ", i, "\n");
  }
  EXPECT_TRUE(absl::IsResourceExhausted(HunksBetween(before, after).status()));
  // The common prefix and suffix do not count.
  const std::string same = Numbered(1, 200'000);
  EXPECT_EQ(Shown(same + "a\n" + same, same + "b\n" + same).substr(0, 2), "@@");
}

TEST(SourceDiffTest, AHunkTouchesTheLinesThatItChanges) {
  const auto hunks =
      HunksBetween(Numbered(1, 20), Numbered(1, 9) + "new\nmore\n" + Numbered(11, 20));
  ASSERT_TRUE(hunks.ok());
  const DiffHunk& hunk = hunks->front();
  EXPECT_TRUE(Touches(hunk, {10, 10}, {}));
  EXPECT_TRUE(Touches(hunk, {}, {11, 30}));
  EXPECT_FALSE(Touches(hunk, {1, 9}, {1, 9})) << "those around it do not count";
  EXPECT_FALSE(Touches(hunk, {11, 20}, {12, 20}));
  EXPECT_FALSE(Touches(hunk, {}, {}));
}

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

TEST(FunctionLinesTest, APieceOfTheFunctionDoesNotEndIt) {
  profile::ComputedProfile profile = Profile();
  for (const auto& [name, line] : {std::pair("first.part.0", 25), std::pair("fourth.isra.0", 70),
                                   std::pair("fourth.cold", 60), std::pair("third.part.0", 45)}) {
    profile.strings.push_back(name);
    profile::FunctionCost function;
    function.name = static_cast<uint32_t>(profile.strings.size()) - 1;
    function.file = 6;
    function.line = static_cast<uint32_t>(line);
    profile.functions.push_back(function);
  }
  EXPECT_EQ(FunctionLinesOf(profile, "first")->lines.first, 10u);
  EXPECT_EQ(FunctionLinesOf(profile, "first")->lines.last, 39u);
  EXPECT_EQ(FunctionLinesOf(profile, "fourth")->lines.first, 60u);
  EXPECT_EQ(FunctionLinesOf(profile, "fourth")->lines.last, 89u);
  EXPECT_EQ(FunctionLinesOf(profile, "third")->lines.first, 90u) << "another function is between";
}

TEST(FunctionLinesTest, WithoutAPlaceThereAreNone) {
  EXPECT_FALSE(FunctionLinesOf(Profile(), "unknown").has_value());
  EXPECT_FALSE(FunctionLinesOf(Profile(), "gone").has_value());
}

}  // namespace

}  // namespace gprofhub::page
