#include "reporter/comparison/rewrites.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "reporter/comparison/match_target.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

// `user` calls five functions of a component, with counts scaled by `times`; `rest` others stay.
// The numbers prevent matches as renames.
ProfileBuilder Side(const std::vector<std::string>& names, int times, int rest,
                    const std::string& file = "all.c") {
  ProfileBuilder builder;
  builder.Function("main", 0, 0, "main.c").Function("user", 0, 0, "main.c").Arc("main", "user", 1);
  for (size_t i = 0; i < names.size(); ++i) {
    builder.Function(names[i], 10, 0, file).Size(100 * (i + 1) * static_cast<size_t>(times));
    builder.Arc("user", names[i], static_cast<uint64_t>(times) + i);
  }
  for (int i = 0; i < rest; ++i) {
    const std::string name = absl::StrCat("other", i, "Function");
    builder.Function(name, 0, 0, file).Arc("user", name, 7);
  }
  return builder;
}

std::vector<std::string> Names(const std::string& prefix, const std::vector<std::string>& rest) {
  std::vector<std::string> names;
  for (const std::string& name : rest) names.push_back(prefix + name);
  return names;
}

const std::vector<std::string> kOld = {"ParseText", "AppendNode", "Render", "Lookup", "FreeAll"};
const std::vector<std::string> kNew = {"ParseTextToBlob", "BlobAppend",  "Translate",
                                       "LookupStep",      "CacheInsert", "Edit"};

std::vector<Rewrite> Find(const ProfileBuilder& before, const ProfileBuilder& after) {
  return FindRewrites(MatchTarget({before.Build()}, {after.Build()}));
}

TEST(Rewrites, AreFoundByTheFirstWordOfTheirNames) {
  const std::vector<Rewrite> found =
      Find(Side(Names("json", kOld), 10, 50), Side(Names("json", kNew), 100, 50));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].component, "json*");
  EXPECT_EQ(found[0].gone.size(), 5u);
  EXPECT_EQ(found[0].came.size(), 6u);
  EXPECT_GE(found[0].pairs.size(), 2u);
}

TEST(Rewrites, AreFoundByTheirClass) {
  const std::vector<Rewrite> found = Find(
      Side({"_ZN6Parser1aEv", "_ZN6Parser2bbEv", "_ZN6Parser3cccEv", "_ZN6Parser4ddddEv"}, 10, 50),
      Side({"_ZN6Parser1zEv", "_ZN6Parser2yyEv", "_ZN6Parser3xxxEv", "_ZN6Parser4wwwwEv"}, 99, 50));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].component, "Parser::*");
}

TEST(Rewrites, AFewOfManyFunctionsAreNone) {
  std::vector<std::string> old = Names("json", kOld), now = Names("json", kNew);
  for (int i = 0; i < 60; ++i) {
    old.push_back(absl::StrCat("jsonStays", i, "x"));
    now.push_back(old.back());
  }
  EXPECT_TRUE(Find(Side(old, 10, 0), Side(now, 100, 0)).empty());
  EXPECT_TRUE(Find(Side(Names("json", {"One", "Two"}), 10, 0),
                   Side(Names("json", {"Other", "More"}), 100, 0))
                  .empty());
}

TEST(Rewrites, WhatNobodyCalledBeforeAndCallsNowIsNone) {
  ProfileBuilder before = Side(Names("json", kOld), 10, 50), after = Side({}, 10, 50);
  after.Function("newUser", 0, 0, "main.c").Arc("main", "newUser", 1);
  for (const std::string& name : Names("json", kNew)) {
    after.Function(name, 10, 0, "all.c").Arc("newUser", name, 77);
  }
  EXPECT_TRUE(Find(before, after).empty());
}

TEST(Rewrites, HelpersOfOtherNamesBelongToThem) {
  ProfileBuilder before = Side(Names("json", kOld), 10, 50),
                 after = Side(Names("json", kNew), 100, 50);
  after.Function("valueBytes", 1, 0, "all.c").Arc("jsonEdit", "valueBytes", 3);
  after.Function("elsewhere", 1, 0, "all.c").Arc("main", "elsewhere", 3);
  const std::vector<Rewrite> found = Find(before, after);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].came.size(), 7u);
}

}  // namespace

}  // namespace gprofhub::reporter
