#include "reporter/matching/function_index.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr bool kStatic = true;

std::vector<std::string> NamesOf(const std::vector<FunctionPair>& functions) {
  std::vector<std::string> names;
  for (const FunctionPair& function : functions) names.emplace_back(function.name);
  return names;
}

// Adds a function by name, file and whether it is local.
ProfileBuilder& Add(ProfileBuilder& builder, const std::string& name, const std::string& file,
                    bool is_static = false) {
  return builder.Function(name, 0, 0, file, 1, is_static);
}

TEST(FunctionIndex, AGlobalFunctionIsOneInAllProfilesWhateverItsFile) {
  ProfileBuilder one, two;
  Add(one, "f", "a.cc"), Add(one, "g", "a.cc");
  Add(two, "g", "a.cc"), Add(two, "f", "moved.cc"), Add(two, "h", "a.cc");
  MatchedTarget matched;
  FunctionIndex index(3, matched);
  EXPECT_THAT(index.Add(one.Build()), ElementsAre(0, 1));
  EXPECT_THAT(index.Add(two.Build()), ElementsAre(1, 0, 2));
  EXPECT_THAT(NamesOf(matched.functions), ElementsAre("f", "g", "h"));
}

TEST(FunctionIndex, EachFunctionHasAColumnOfTimesPerRun) {
  ProfileBuilder builder;
  Add(builder, "f", "a.cc");
  MatchedTarget matched;
  FunctionIndex(3, matched).Add(builder.Build());
  EXPECT_THAT(matched.functions[0].self_by_run, ElementsAre(0, 0, 0));
  EXPECT_THAT(matched.functions[0].child_by_run, ElementsAre(0, 0, 0));
  EXPECT_FALSE(matched.functions[0].before.present());
}

TEST(FunctionIndex, StaticFunctionsAreToldApartByFile) {
  ProfileBuilder builder;
  Add(builder, "f", "a.c", kStatic), Add(builder, "f", "b.c", kStatic), Add(builder, "f", "a.c");
  MatchedTarget matched;
  FunctionIndex index(1, matched);
  EXPECT_THAT(index.Add(builder.Build()), ElementsAre(0, 1, 2));
  EXPECT_THAT(index.Add(builder.Build()), ElementsAre(0, 1, 2));
}

TEST(FunctionIndex, AClonesRowIsItsFunctionsThoughItComesFirst) {
  ProfileBuilder builder;
  Add(builder, "f.cold", "a.cc", kStatic), Add(builder, "f", "a.cc");
  Add(builder, "f.constprop.0.part.1", "a.cc", kStatic);
  MatchedTarget matched;
  EXPECT_THAT(FunctionIndex(1, matched).Add(builder.Build()), ElementsAre(0, 0, 0));
  EXPECT_THAT(NamesOf(matched.functions), ElementsAre("f"));
}

TEST(FunctionIndex, ACloneBelongsToTheStaticFunctionOfItsFileBeforeAGlobalOne) {
  ProfileBuilder builder;
  Add(builder, "f", "a.c"), Add(builder, "f", "b.c", kStatic);
  Add(builder, "f.part.0", "b.c", kStatic), Add(builder, "f.part.0", "a.c", kStatic);
  MatchedTarget matched;
  EXPECT_THAT(FunctionIndex(1, matched).Add(builder.Build()), ElementsAre(0, 1, 1, 0));
}

TEST(FunctionIndex, ACloneWhoseFunctionIsGoneStandsForIt) {
  ProfileBuilder builder;
  Add(builder, "f.part.0", "a.c", kStatic), Add(builder, "f.cold", "a.c", kStatic);
  Add(builder, "f.part.0", "b.c", kStatic);
  MatchedTarget matched;
  EXPECT_THAT(FunctionIndex(1, matched).Add(builder.Build()), ElementsAre(0, 0, 1));
  EXPECT_THAT(NamesOf(matched.functions), ElementsAre("f", "f"));
}

TEST(FunctionIndex, ACloneIsItsFunctionsThoughAnEarlierProfileHasTheCloneAlone) {
  ProfileBuilder alone, both;
  Add(alone, "f.part.0", "a.h", kStatic);
  Add(both, "f", "a.h"), Add(both, "f.part.0", "a.h", kStatic);
  MatchedTarget matched;
  FunctionIndex index(2, matched);
  EXPECT_THAT(index.Add(alone.Build()), ElementsAre(0));
  EXPECT_THAT(index.Add(both.Build()), ElementsAre(0, 0));
  EXPECT_THAT(index.Add(alone.Build()), ElementsAre(0));
  EXPECT_THAT(matched.functions, SizeIs(1));
}

TEST(FunctionIndex, AStaticFunctionAndAGlobalOneOfItsNameStayTwo) {
  ProfileBuilder alone, local, global;
  Add(alone, "f.part.0", "a.c", kStatic);
  Add(local, "f.part.0", "a.c", kStatic), Add(local, "f", "a.c", kStatic);
  Add(global, "f", "a.c");
  MatchedTarget matched;
  FunctionIndex index(3, matched);
  EXPECT_THAT(index.Add(alone.Build()), ElementsAre(0));
  EXPECT_THAT(index.Add(local.Build()), ElementsAre(0, 0));
  EXPECT_THAT(index.Add(global.Build()), ElementsAre(1));
}

TEST(FunctionIndex, WhatIsAModuleInOneProfileIsOne) {
  ProfileBuilder builder;
  Add(builder, "libz.so", "");
  profile::ComputedProfile module = builder.Build();
  module.functions[0].is_module = true;
  MatchedTarget matched;
  FunctionIndex index(2, matched);
  index.Add(builder.Build());
  EXPECT_FALSE(matched.functions[0].is_module);
  index.Add(module);
  index.Add(builder.Build());
  EXPECT_TRUE(matched.functions[0].is_module);
}

}  // namespace
}  // namespace gprofhub::reporter
