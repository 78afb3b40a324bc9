#include "reporter/comparison/renames.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reporter/testing/memory_history.h"
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

using ::testing::ElementsAre;

const FunctionPair& Named(const MatchedTarget& matched, const std::string& name) {
  for (const FunctionPair& pair : matched.functions) {
    if (pair.name == name) return pair;
  }
  ADD_FAILURE() << name << " is not there";
  return matched.functions.front();
}

// main → f, `calls` times; f calls itself `recursive` times.
ProfileBuilder Program(uint64_t calls, double self = 0, uint64_t recursive = 0) {
  ProfileBuilder builder;
  builder.Function("main").Function("f", self, 2 * self, "f.cc", 30).Size(64);
  builder.Arc("main", "f", calls);
  if (recursive > 0) builder.Arc("f", "f", recursive);
  return builder;
}

TEST(AddCosts, SumsTheRunsOfASideAndKeepsEachOnesTimes) {
  const MatchedSides sides({Program(10, 3, 2).Build(), Program(10, 5, 2).Build()},
                           {Program(7, 11).Build()});
  const FunctionPair& f = Named(sides.matched, "f");
  EXPECT_EQ(f.before.calls.sum, 24u) << "recursive ones included";
  EXPECT_TRUE(f.before.calls.repeats);
  EXPECT_EQ(f.before.self_samples, 8);
  EXPECT_EQ(f.before.child_samples, 16);
  EXPECT_EQ(f.before.size, 64u);
  EXPECT_EQ(f.before.file, "f.cc");
  EXPECT_EQ(f.before.line, 30u);
  EXPECT_EQ(f.after.calls.sum, 7u);
  EXPECT_THAT(f.self_by_run, ElementsAre(3, 5, 11));
  EXPECT_THAT(f.child_by_run, ElementsAre(6, 10, 22));
}

TEST(AddCosts, AFunctionThatSomeRunsLackDoesNotRepeat) {
  ProfileBuilder without;
  without.Function("main");
  for (const bool lacking_first : {false, true}) {
    std::vector<profile::ComputedProfile> runs = {Program(10).Build(), without.Build()};
    if (lacking_first) std::swap(runs[0], runs[1]);
    const MatchedSides sides(runs, {without.Build()});
    const FunctionPair& f = Named(sides.matched, "f");
    EXPECT_TRUE(f.before.present());
    EXPECT_EQ(f.before.calls.sum, 10u);
    EXPECT_FALSE(f.before.calls.repeats);
    EXPECT_FALSE(f.after.present());
    EXPECT_TRUE(f.after.calls.repeats);
  }
}

TEST(AddCosts, TheSizeIsThatOfTheFunctionAndItsClonesInTheLargestRun) {
  ProfileBuilder whole = Program(1), split = Program(1);
  split.Function("f.part.0").Size(48);
  const MatchedSides sides({whole.Build(), split.Build(), whole.Build()}, {whole.Build()});
  EXPECT_EQ(Named(sides.matched, "f").before.size, 112u);
  EXPECT_EQ(Named(sides.matched, "f").after.size, 64u);
}

TEST(AddCosts, WhatAFunctionAndItsClonesHaveAmongEachOtherIsTakenOut) {
  ProfileBuilder builder;
  builder.Function("main", 0, 100).Function("f", 60, 40).Function("f.part.0", 40);
  builder.Arc("main", "f", 10).Arc("f", "f.part.0", 30);
  profile::ComputedProfile profile = builder.Build();
  profile.arcs[1].self_samples = 40;
  const MatchedSides sides({profile}, {profile});
  const FunctionPair& f = Named(sides.matched, "f");
  EXPECT_EQ(f.before.calls.sum, 10u);
  EXPECT_EQ(f.before.self_samples, 100);
  EXPECT_EQ(f.before.child_samples, 0);
  EXPECT_THAT(f.self_by_run, ElementsAre(100, 100));
  EXPECT_THAT(f.child_by_run, ElementsAre(0, 0));
}

TEST(AddCosts, APlaceIsTheFunctionsOwnNotItsClones) {
  ProfileBuilder builder;
  // Cold parts come first in a program's text.
  builder.Function("f.cold", 0, 0, "f.cc", 77, true).Function("f", 0, 0, "f.cc", 30);
  ProfileBuilder alone;
  alone.Function("f.cold", 0, 0, "f.cc", 77, true);
  const MatchedSides sides({builder.Build()}, {alone.Build()});
  ASSERT_EQ(sides.matched.functions.size(), 1u);
  EXPECT_EQ(sides.matched.functions[0].before.line, 30u);
  EXPECT_EQ(sides.matched.functions[0].after.line, 77u) << "there is no other";
}

// Self and inherited samples of "f" in a run of an older commit, `older`.
std::pair<double, double> SaidOfF(const MatchedSides& sides,
                                  const profile::ComputedProfile& older) {
  MatchedTarget matched;
  std::vector<FunctionPair>& functions = matched.functions;
  FunctionIndex index(2, matched);
  for (const profile::ComputedProfile* run : {&sides.before[0], &sides.after[0]}) index.Add(*run);
  const RowMap older_rows = index.Add(older);
  functions = sides.matched.functions;  // copies with costs
  SideRuns older_runs = {{&older, 1}};
  older_runs.Add(older_rows);
  AddOlderRuns(older_runs, sides.matched.repetitions_before, 1, functions);
  for (const FunctionPair& pair : functions) {
    if (pair.name == "f") return {pair.self_by_run[1], pair.child_by_run[1]};
  }
  return {-1, -1};
}

TEST(AddOlderRuns, SpeakOfAFunctionThatWasTheBasesAlready) {
  const MatchedSides sides({Program(10, 3).Repetitions(2).Build()}, {Program(5, 3).Build()});
  // Also five calls per execution.
  const auto same = SaidOfF(sides, Program(20, 9).Repetitions(4).Build());
  EXPECT_EQ(same.first, 9);
  EXPECT_EQ(same.second, 18);
}

TEST(AddOlderRuns, SayNothingOfAFunctionThatWasAnother) {
  const MatchedSides sides({Program(10, 3).Build()}, {Program(10, 3).Build()});
  ProfileBuilder larger = Program(10, 9);
  larger.Size(65);
  ProfileBuilder without;
  without.Function("main");
  for (const ProfileBuilder& older : {Program(11, 9), larger, without}) {
    EXPECT_TRUE(std::isnan(SaidOfF(sides, older.Build()).first));
    EXPECT_TRUE(std::isnan(SaidOfF(sides, older.Build()).second));
  }
}

TEST(AddOlderRuns, SayNothingOfAFunctionThatTheBaseLacks) {
  ProfileBuilder without;
  without.Function("main");
  const MatchedSides sides({without.Build()}, {Program(10, 3).Build()});
  EXPECT_TRUE(std::isnan(SaidOfF(sides, Program(10, 3).Build()).first));
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// Functions of both sides: 1 and 2. Of the base alone: 10, 11. Of the head alone: 20, 21.

TEST(FindRenames, WhoHasTheSameArcsAndSizeIsTheSame) {
  EXPECT_THAT(FindRenames({{{10, 100, 64, 0}}}, {{{1, 10, 100}, {10, 2, 300}}},
                          {{{20, 100, 66, 0}}}, {{{1, 20, 100}, {20, 2, 300}}}),
              ElementsAre(Pair(10, 20)));
}

TEST(FindRenames, OtherCountsOfCallersAndCalleesAreAnotherFunction) {
  const std::vector<LoneFunction> was = {{10, 100, 64}}, is = {{20, 100, 64}};
  const std::vector<LoneArc> arcs = {{1, 10, 100, 0, true}, {10, 2, 300}};
  EXPECT_THAT(FindRenames(was, arcs, {{{20, 99, 64}}}, {{{1, 20, 99, 0, true}, {20, 2, 301}}}),
              IsEmpty());
  EXPECT_THAT(FindRenames(was, arcs, is, {{{1, 20, 100, 0, true}, {20, 2, 301}}}),
              ElementsAre(Pair(10, 20)))
      << "it was edited, too";
  EXPECT_THAT(FindRenames(was, arcs, is, {{{1, 20, 100, 0, false}, {20, 2, 301}}}), IsEmpty())
      << "its caller has the same code, so this function was called, and that one was not";
  EXPECT_THAT(FindRenames(was, arcs, is, {{{1, 20, 100, 0, true}, {20, 3, 300}}}), IsEmpty());
}

TEST(FindRenames, SeveralOfOneFileKeepTheirOrder) {
  const auto functions = [](uint32_t first, uint32_t file) {
    std::vector<LoneFunction> three;
    for (uint32_t i = 0; i < 3; ++i) three.push_back({first + i, 5, 64, file, 10 * i + first});
    return three;
  };
  const auto arcs = [](uint32_t first) {
    std::vector<LoneArc> three;
    for (uint32_t i = 0; i < 3; ++i) three.push_back({1, first + i, 5, 0, true});
    return three;
  };
  EXPECT_THAT(FindRenames(functions(10, 7), arcs(10), functions(20, 7), arcs(20)),
              ElementsAre(Pair(10, 20), Pair(11, 21), Pair(12, 22)));
  EXPECT_THAT(FindRenames(functions(10, 0), arcs(10), functions(20, 0), arcs(20)), IsEmpty())
      << "their file is not known";
}

TEST(FindRenames, AnotherSizeIsAnotherFunctionUnlessTheFileIsTheSame) {
  const LoneArc was = {1, 10, 100}, is = {1, 20, 100};
  EXPECT_THAT(FindRenames({{{10, 100, 64, 0}}}, {{was}}, {{{20, 100, 96, 0}}}, {{is}}), IsEmpty());
  EXPECT_THAT(FindRenames({{{10, 100, 64, 7}}}, {{was}}, {{{20, 100, 96, 7}}}, {{is}}),
              ElementsAre(Pair(10, 20)));
  EXPECT_THAT(FindRenames({{{10, 100, 64, 7}}}, {{was}}, {{{20, 100, 96, 8}}}, {{is}}), IsEmpty());
}

TEST(FindRenames, OfTwinsNobodyKnowsWhichIsWhich) {
  EXPECT_THAT(FindRenames({{{10, 5, 64, 0}, {11, 5, 64, 0}}}, {{{1, 10, 5}, {1, 11, 5}}},
                          {{{20, 5, 64, 0}, {21, 5, 64, 0}}}, {{{1, 20, 5}, {1, 21, 5}}}),
              IsEmpty());
}

TEST(FindRenames, AFoundNeighbourTellsTwinsApart) {
  // 10 and 11 differ only in their caller: 12, which is found first, and 1.
  EXPECT_THAT(FindRenames({{{10, 5, 64, 0}, {11, 5, 64, 0}, {12, 9, 32, 0}}},
                          {{{12, 10, 5}, {2, 11, 5}, {1, 12, 9}}},
                          {{{20, 5, 64, 0}, {21, 5, 64, 0}, {22, 9, 32, 0}}},
                          {{{22, 20, 5}, {2, 21, 5}, {1, 22, 9}}}),
              ElementsAre(Pair(10, 20), Pair(11, 21), Pair(12, 22)));
}

TEST(FindRenames, BesideAnotherChangeCountsPerCallTell) {
  const std::vector<LoneFunction> was = {{10, 100, 64}};
  const std::vector<LoneArc> arcs = {{1, 10, 100, 50, true}, {10, 2, 300, 100}};
  // 1 and everything below it is now called twice as often.
  EXPECT_THAT(
      FindRenames(was, arcs, {{{20, 200, 64}}}, {{{1, 20, 200, 100, true}, {20, 2, 600, 200}}}),
      ElementsAre(Pair(10, 20)));
  EXPECT_THAT(
      FindRenames(was, arcs, {{{20, 300, 64}}}, {{{1, 20, 300, 100, true}, {20, 2, 900, 300}}}),
      ElementsAre(Pair(10, 20)))
      << "its caller was edited, too";
  EXPECT_THAT(
      FindRenames(was, arcs, {{{20, 300, 64}}}, {{{1, 20, 300, 100, true}, {20, 2, 800, 300}}}),
      IsEmpty());
}

TEST(FindRenames, TheNameWithoutItsScopeTellsWhereANeighbourIsTheSame) {
  const LoneFunction was = {10, 100, 64, 0, 0, 5}, is = {20, 300, 640, 0, 0, 5};
  EXPECT_THAT(FindRenames({{was}}, {{{1, 10, 100}}}, {{is}}, {{{1, 20, 300}}}),
              ElementsAre(Pair(10, 20)));
  EXPECT_THAT(FindRenames({{was}}, {{{1, 10, 100}}}, {{is}}, {{{2, 20, 300}}}), IsEmpty());
  const LoneFunction twin = {21, 7, 640, 0, 0, 5};
  EXPECT_THAT(FindRenames({{was}}, {{{1, 10, 100}}}, {{is, twin}}, {{{1, 20, 300}, {1, 21, 7}}}),
              IsEmpty());
}

}  // namespace

}  // namespace gprofhub::reporter
