#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reporter/matching/match_target.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

MatchedTarget Match(const ProfileBuilder& before, const ProfileBuilder& after) {
  const profile::ComputedProfile base[] = {before.Build()}, head[] = {after.Build()};
  return MatchTarget(base, head, {});
}

// Names of what was inlined into main.
std::vector<std::string> InlinedIntoMain(const MatchedTarget& target, bool at_head) {
  std::vector<std::string> names;
  for (const FunctionPair& pair : target.functions) {
    if (pair.name != "main") continue;
    for (const uint32_t i : (at_head ? pair.after : pair.before).inlined) {
      names.emplace_back(target.functions[i].name);
    }
  }
  return names;
}

TEST(MatchInlined, AFunctionIsKnownByTheNameThatItHasOnTheSide) {
  ProfileBuilder before, after;
  before.Function("main").Inlines("_Z4stepi").Function("_Z4stepi").Size(60);
  after.Function("main").Inlines("_Z4stepii").Function("_Z4stepii").Size(60);
  const MatchedTarget target = Match(before, after);
  EXPECT_TRUE(target.knows_inlined);
  EXPECT_THAT(InlinedIntoMain(target, false), ElementsAre("_Z4stepii"));
  EXPECT_THAT(InlinedIntoMain(target, true), ElementsAre("_Z4stepii"));
}

TEST(MatchInlined, WithoutCodeOfItsOwnItIsKnownByItsQualifiedNameToo) {
  ProfileBuilder before, after;
  // It was static, or had other parameters, in the base.
  before.Function("main").Inlines("ns::step");
  after.Function("main").Inlines("_Z4tinyv").Function("_ZN2ns4stepEi").Size(60);
  EXPECT_THAT(InlinedIntoMain(Match(before, after), false), ElementsAre("_ZN2ns4stepEi"));
}

TEST(MatchInlined, AQualifiedNameThatTwoFunctionsHaveTellsNothing) {
  ProfileBuilder before, after;
  before.Function("main").Inlines("step").Function("_Z4stepd").Size(200);
  after.Function("main").Inlines("_Z4tinyv").Function("_Z4stepd").Size(200);
  after.Function("_Z4stepi").Size(60);
  EXPECT_THAT(InlinedIntoMain(Match(before, after), false), IsEmpty());
}

TEST(MatchInlined, WhatOneFileAloneSeesIsKnownByItsLocalName) {
  ProfileBuilder before, after;
  for (ProfileBuilder* side : {&before, &after}) {
    side->Function("main").Inlines("step").Inlines("other");
    side->Function("_ZN2nsL4stepEi", 0, 0, "a.cc", 1, true).Function("_ZN2ns5otherEi");
  }
  EXPECT_THAT(InlinedIntoMain(Match(before, after), true), ElementsAre("_ZN2nsL4stepEi"))
      << "what all see has its linkage name in the debug information";
}

TEST(MatchInlined, NothingIsKnownWhereASideSaysNothing) {
  ProfileBuilder before, after;
  before.Function("main").Inlines("step").Function("step");
  after.Function("main").Function("step");
  EXPECT_FALSE(Match(before, after).knows_inlined);
}

}  // namespace
}  // namespace gprofhub::reporter
