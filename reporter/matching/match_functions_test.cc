#include "reporter/matching/match_functions.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <string>
#include <vector>

#include "reporter/testing/matched_sides.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Functions of one name, without the empty ones.
std::vector<FunctionPair> Named(const MatchedTarget& matched, const std::string& name) {
  std::vector<FunctionPair> found;
  for (const FunctionPair& pair : matched.functions) {
    if (pair.name == name && (pair.before.present() || pair.after.present())) found.push_back(pair);
  }
  return found;
}

void ExpectPaired(const MatchedTarget& matched, const std::string& name, const std::string& was) {
  const std::vector<FunctionPair> found = Named(matched, name);
  ASSERT_EQ(found.size(), 1u) << name;
  EXPECT_TRUE(found[0].before.present() && found[0].after.present()) << name;
  EXPECT_EQ(found[0].renamed_from, was);
  if (was.empty()) return;
  EXPECT_THAT(Named(matched, was), IsEmpty());
}

// main → a function of one place and size, `calls` times.
ProfileBuilder With(const std::string& name, uint64_t calls, const std::string& file = "a.cc",
                    bool is_static = false, double samples = 1) {
  ProfileBuilder builder;
  builder.Function("main").Arc("", "main", 1);
  builder.Function(name, samples, 2 * samples, file, 5, is_static).Size(100);
  builder.Arc("main", name, calls);
  return builder;
}

TEST(PairLoneFunctions, ByNameWhateverTheFile) {
  MatchedSides sides({With("f", 3, "old.c", true).Build()}, {With("f", 90, "new.c", true).Build()});
  PairLoneFunctions(sides.sides, sides.matched);
  ExpectPaired(sides.matched, "f", "");
  EXPECT_EQ(Named(sides.matched, "f")[0].before.file, "old.c");
  EXPECT_EQ(Named(sides.matched, "f")[0].after.file, "new.c");
}

TEST(PairLoneFunctions, ByNameWithoutParameters) {
  MatchedSides sides({With("_Z1fi", 3).Build()}, {With("_Z1fl", 90).Build()});
  PairLoneFunctions(sides.sides, sides.matched);
  ExpectPaired(sides.matched, "_Z1fl", "_Z1fi");
}

TEST(PairLoneFunctions, AFunctionThatBecameATemplateIsTheSame) {
  MatchedSides sides({With("_Z3Foom", 3).Build()}, {With("_Z3FooImET_S0_", 90).Build()});
  PairLoneFunctions(sides.sides, sides.matched);
  ExpectPaired(sides.matched, "_Z3FooImET_S0_", "_Z3Foom");
}

TEST(PairLoneFunctions, ByWhatTheyDo) {
  MatchedSides sides({With("old_name", 3).Build()}, {With("new_name", 3).Build()});
  PairLoneFunctions(sides.sides, sides.matched);
  ExpectPaired(sides.matched, "new_name", "old_name");
}

TEST(PairLoneFunctions, WhatTheyDoIsPerExecution) {
  MatchedSides sides({With("old_name", 6).Repetitions(2).Build()}, {With("new_name", 3).Build()});
  PairLoneFunctions(sides.sides, sides.matched);
  ExpectPaired(sides.matched, "new_name", "old_name");
}

TEST(PairLoneFunctions, FunctionsThatDoSomethingElseStayTwo) {
  MatchedSides sides({With("old_name", 3).Build()}, {With("new_name", 4).Build()});
  PairLoneFunctions(sides.sides, sides.matched);
  ASSERT_EQ(Named(sides.matched, "old_name").size(), 1u);
  EXPECT_FALSE(Named(sides.matched, "old_name")[0].after.present());
  EXPECT_FALSE(Named(sides.matched, "new_name")[0].before.present());
}

TEST(PairLoneFunctions, OfSeveralThatFitNobodyKnowsWhichIsWhich) {
  ProfileBuilder base = With("_Z1fi", 3), head = With("_Z1fl", 90);
  head.Function("_Z1fc").Arc("main", "_Z1fc", 70);
  MatchedSides sides({base.Build()}, {head.Build()});
  PairLoneFunctions(sides.sides, sides.matched);
  EXPECT_FALSE(Named(sides.matched, "_Z1fi")[0].after.present());
}

TEST(PairLoneFunctions, TheSameNameComesBeforeTheSameNameWithoutParameters) {
  // By name without parameters alone, f(int) of old.cc would be ambiguous.
  ProfileBuilder base = With("_Z1fi", 3, "old.cc", true);
  ProfileBuilder head = With("_Z1fi", 70, "new.cc", true);
  head.Function("_Z1fl").Arc("main", "_Z1fl", 90);
  MatchedSides sides({base.Build()}, {head.Build()});
  PairLoneFunctions(sides.sides, sides.matched);
  ExpectPaired(sides.matched, "_Z1fi", "");
  EXPECT_FALSE(Named(sides.matched, "_Z1fl")[0].before.present());
}

TEST(PairLoneFunctions, AFunctionOfBothSidesIsLeftAlone) {
  ProfileBuilder base = With("_Z1fi", 3), head = With("_Z1fi", 3);
  head.Function("_Z1fl").Arc("main", "_Z1fl", 90);
  MatchedSides sides({base.Build()}, {head.Build()});
  PairLoneFunctions(sides.sides, sides.matched);
  ExpectPaired(sides.matched, "_Z1fi", "");
  EXPECT_FALSE(Named(sides.matched, "_Z1fl")[0].before.present());
}

TEST(PairLoneFunctions, AModuleIsNoOthersNewName) {
  profile::ComputedProfile base = With("libz.so.1", 3).Build();
  profile::ComputedProfile head = With("inflate_all", 3).Build();
  base.functions[1].is_module = true;
  MatchedSides sides({base}, {head});
  PairLoneFunctions(sides.sides, sides.matched);
  EXPECT_FALSE(Named(sides.matched, "libz.so.1")[0].after.present());
}

TEST(PairLoneFunctions, TheOneHasTheTimesOfBothAndTheOthersHalfIsEmpty) {
  MatchedSides sides(
      {With("_Z1fi", 3, "a.cc", false, 7).Build()},
      {With("_Z1fl", 90, "a.cc", false, 11).Build(), With("_Z1fl", 90, "a.cc", false, 13).Build()});
  PairLoneFunctions(sides.sides, sides.matched);
  const FunctionPair f = Named(sides.matched, "_Z1fl").at(0);
  EXPECT_THAT(f.self_by_run, ElementsAre(7, 11, 13));
  EXPECT_THAT(f.child_by_run, ElementsAre(14, 22, 26));
  EXPECT_EQ(f.before.calls.sum, 3u);
  EXPECT_EQ(f.after.calls.sum, 180u);
  ASSERT_EQ(sides.matched.functions.size(), 3u);
  const FunctionPair& left = sides.matched.functions[2];
  EXPECT_FALSE(left.before.present() || left.after.present());
  EXPECT_THAT(left.self_by_run, IsEmpty());
}

TEST(PairLoneFunctions, TheRunsOfOlderCommitsStayTheBases) {
  MatchedSides sides({With("_Z1fi", 3, "a.cc", false, 7).Build()},
                     {With("_Z1fl", 90, "a.cc", false, 11).Build()});
  sides.matched.runs_window = 1;
  for (FunctionPair& pair : sides.matched.functions) {
    const bool base = pair.before.present();
    // Between the base's column and the head's.
    pair.self_by_run.insert(pair.self_by_run.begin() + 1, base ? 8 : 99);
    pair.child_by_run.insert(pair.child_by_run.begin() + 1, base ? 16 : 99);
  }
  PairLoneFunctions(sides.sides, sides.matched);
  EXPECT_THAT(Named(sides.matched, "_Z1fl").at(0).self_by_run, ElementsAre(7, 8, 11));
  EXPECT_THAT(Named(sides.matched, "_Z1fl").at(0).child_by_run, ElementsAre(14, 16, 22));
}

TEST(PairLoneFunctions, RowsPointAtWhatTheFunctionsBecame) {
  MatchedSides sides({With("_Z1fi", 3).Build()}, {With("_Z1fl", 90).Build()});
  EXPECT_THAT(sides.sides[1].rows[0], ElementsAre(0, 2));
  PairLoneFunctions(sides.sides, sides.matched);
  EXPECT_THAT(sides.sides[0].rows[0], ElementsAre(0, 1));
  EXPECT_THAT(sides.sides[1].rows[0], ElementsAre(0, 1));
}

}  // namespace
}  // namespace gprofhub::reporter
