#include "reporter/comparison/match_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "reporter/comparison/pair_call_sites.h"
#include "reporter/testing/memory_history.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Runs = std::vector<profile::ComputedProfile>;

std::vector<ArcPair> Match(const Runs& before, const Runs& after) {
  const MatchedSides sides(before, after);
  return MatchArcs(sides.sides, sides.matched);
}

// f, `line_of_f` lines down in its file, and g.
ProfileBuilder Two(uint32_t line_of_f = 1) {
  ProfileBuilder builder;
  builder.Function("f", 0, 0, "f.cc", line_of_f).Function("g");
  return builder;
}

using Lines = std::vector<std::tuple<uint32_t, uint32_t, uint64_t, uint64_t>>;

// Of each site: its lines, and its counts.
Lines SitesOf(const ArcPair& arc) {
  Lines lines;
  for (const CallSitePair& site : arc.sites) {
    lines.emplace_back(site.line_before, site.line_after, site.before, site.after);
  }
  return lines;
}

TEST(MatchArcs, AreInTheOrderOfCalleesThenCallers) {
  ProfileBuilder before, after;
  before.Function("a").Function("b").Function("c");
  before.Arc("c", "b", 1).Arc("a", "c", 1).Arc("a", "b", 1).Arc("", "a", 1);
  after.Function("c").Function("b").Function("a");
  after.Arc("b", "a", 1).Arc("a", "c", 1).Arc("c", "b", 1);
  std::vector<std::pair<uint32_t, uint32_t>> ends;  // callee, caller
  for (const ArcPair& arc : Match({before.Build()}, {after.Build()})) {
    ends.emplace_back(arc.callee, arc.caller);
  }
  // a, b and c are 0, 1 and 2.
  EXPECT_THAT(ends, ElementsAre(std::make_pair(0, 1), std::make_pair(0, kSpontaneous),
                                std::make_pair(1, 0), std::make_pair(1, 2), std::make_pair(2, 0)));
}

TEST(MatchArcs, AnArcOfOneSideIsThereOnThatSideOnly) {
  ProfileBuilder before = Two(), after = Two();
  before.Arc("f", "g", 5);
  after.Arc("g", "f", 7);
  const std::vector<ArcPair> arcs = Match({before.Build()}, {after.Build()});
  ASSERT_THAT(arcs, SizeIs(2));
  EXPECT_FALSE(arcs[0].before.present);
  EXPECT_TRUE(arcs[0].after.present);
  EXPECT_EQ(arcs[0].after.sum, 7u);
  EXPECT_TRUE(arcs[1].before.present);
  EXPECT_FALSE(arcs[1].after.present);
  EXPECT_EQ(arcs[1].after.sum, 0u);
}

TEST(MatchArcs, CountsAreSumsOverSitesAndRuns) {
  ProfileBuilder run = Two();
  run.Arc("f", "g", 5, 10, 16).Arc("f", "g", 7, 20, 32);
  const std::vector<ArcPair> arcs = Match({run.Build(), run.Build()}, {run.Build()});
  ASSERT_THAT(arcs, SizeIs(1));
  EXPECT_EQ(arcs[0].before.sum, 24u);
  EXPECT_TRUE(arcs[0].before.repeats);
  EXPECT_EQ(arcs[0].after.sum, 12u);
}

TEST(MatchArcs, AnArcThatARunLacksDoesNotRepeat) {
  ProfileBuilder with = Two();
  with.Arc("f", "g", 5);
  const profile::ComputedProfile without = Two().Build();
  for (const Runs& before : {Runs{with.Build(), without}, Runs{without, with.Build()}}) {
    const std::vector<ArcPair> arcs = Match(before, {with.Build(), with.Build()});
    EXPECT_FALSE(arcs.at(0).before.repeats);
    EXPECT_TRUE(arcs.at(0).after.repeats);
  }
}

TEST(MatchArcs, SitesAreToldOnlyWhereTheCountPerExecutionChanged) {
  ProfileBuilder one = Two(), two = Two(), more = Two();
  one.Arc("f", "g", 5, 10);
  two.Repetitions(2).Arc("f", "g", 10, 10);
  more.Arc("f", "g", 6, 10);
  EXPECT_THAT(Match({one.Build()}, {two.Build()}).at(0).sites, IsEmpty());
  EXPECT_THAT(SitesOf(Match({one.Build()}, {more.Build()}).at(0)),
              ElementsAre(std::make_tuple(10, 10, 5, 6)));
}

TEST(MatchArcs, TheSitesOfOneLineAreOne) {
  ProfileBuilder before = Two(), after = Two();
  before.Arc("f", "g", 5, 10, 16).Arc("f", "g", 7, 10, 32);
  after.Arc("f", "g", 13, 10, 16);
  EXPECT_THAT(SitesOf(Match({before.Build()}, {after.Build()}).at(0)),
              ElementsAre(std::make_tuple(10, 10, 12, 13)));
}

TEST(MatchArcs, SitesWithoutALineAreToldApartByTheirPlaceInTheCode) {
  ProfileBuilder before = Two(), after = Two();
  before.Arc("f", "g", 5, 0, 16).Arc("f", "g", 7, 0, 32);
  after.Arc("f", "g", 5, 0, 16).Arc("f", "g", 9, 0, 32);
  EXPECT_THAT(SitesOf(Match({before.Build(), before.Build()}, {after.Build()}).at(0)),
              ElementsAre(std::make_tuple(0, 0, 10, 5), std::make_tuple(0, 0, 14, 9)));
}

TEST(MatchArcs, SitesAreInTheCallersOrderThoughTheFirstRunLacksSome) {
  ProfileBuilder first = Two(), second = Two(), head = Two();
  first.Arc("f", "g", 7, 20, 32);
  second.Arc("f", "g", 5, 10, 16).Arc("f", "g", 7, 20, 32);
  head.Arc("f", "g", 50, 10, 16).Arc("f", "g", 70, 20, 32);
  EXPECT_THAT(SitesOf(Match({first.Build(), second.Build()}, {head.Build()}).at(0)),
              ElementsAre(std::make_tuple(10, 10, 5, 50), std::make_tuple(20, 20, 14, 70)));
}

TEST(MatchArcs, SitesMoveWithTheirCaller) {
  ProfileBuilder before = Two(1), after = Two(5);
  before.Arc("f", "g", 5, 10, 16);
  after.Arc("f", "g", 5, 10, 16).Arc("f", "g", 5, 14, 32);
  EXPECT_THAT(SitesOf(Match({before.Build()}, {after.Build()}).at(0)),
              ElementsAre(std::make_tuple(0, 10, 0, 5), std::make_tuple(10, 14, 5, 5)))
      << "f begins four lines further down";
}

TEST(MatchArcs, ACallOfAFunctionsOwnCloneIsNoArc) {
  ProfileBuilder builder;
  builder.Function("f").Function("f.part.0").Arc("f", "f.part.0", 5).Arc("f.part.0", "f", 3);
  const std::vector<ArcPair> arcs = Match({builder.Build()}, {builder.Build()});
  ASSERT_THAT(arcs, SizeIs(1));
  EXPECT_EQ(arcs[0].caller, arcs[0].callee);
  EXPECT_EQ(arcs[0].before.sum, 3u) << "the clone calls the function: recursion";
}

TEST(MatchArcs, NoArcsAreNoTrouble) {
  EXPECT_THAT(Match({Two().Build()}, {Two().Build()}), IsEmpty());
}

// The result for the function "f", with the rows of each run.
CodeChange ChangeOf(const std::vector<profile::ComputedProfile>& before,
                    const std::vector<profile::ComputedProfile>& after) {
  const MatchedTarget target = MatchTarget(before, after, {});
  for (const FunctionPair& function : target.functions) {
    if (function.name == "f") return function.code;
  }
  ADD_FAILURE() << "there is no f";
  return CodeChange::kUnknown;
}

profile::ComputedProfile With(uint32_t code, uint32_t part = 0) {
  ProfileBuilder builder;
  builder.Function("f", 1).Code(code);
  if (part != 0) builder.Function("f.part.0", 1).Code(part);
  return builder.Build();
}

TEST(MatchCode, ComparesTheDigestsOfBothSides) {
  EXPECT_EQ(ChangeOf({With(1)}, {With(1)}), CodeChange::kSame);
  EXPECT_EQ(ChangeOf({With(1)}, {With(2)}), CodeChange::kChanged);
}

TEST(MatchCode, WithoutADigestNothingIsKnown) {
  EXPECT_EQ(ChangeOf({With(0)}, {With(0)}), CodeChange::kUnknown);
  EXPECT_EQ(ChangeOf({With(0)}, {With(2)}), CodeChange::kUnknown);
}

TEST(MatchCode, ABaseOfSeveralBuildsIsNotKnown) {
  EXPECT_EQ(ChangeOf({With(1), With(2)}, {With(2)}), CodeChange::kUnknown);
  EXPECT_EQ(ChangeOf({With(1), With(1)}, {With(2)}), CodeChange::kChanged);
}

TEST(MatchCode, AClonesCodeIsTheFunctions) {
  EXPECT_EQ(ChangeOf({With(1, 5)}, {With(1, 6)}), CodeChange::kChanged);
  EXPECT_EQ(ChangeOf({With(1, 5)}, {With(1, 5)}), CodeChange::kSame);
}

TEST(MatchCode, AClonesThatOnlyOneSideRanSayNothing) {
  EXPECT_EQ(ChangeOf({With(1)}, {With(1, 5)}), CodeChange::kSame);
}

TEST(MatchCode, AFunctionOfOneSideIsNotKnown) {
  EXPECT_EQ(ChangeOf({ProfileBuilder().Function("g").Code(3).Build()}, {With(1)}),
            CodeChange::kUnknown);
}

// main calls f and a function named `callee`, whose code has a digest.
profile::ComputedProfile Calling(const std::string& callee, uint32_t code_of_f) {
  ProfileBuilder builder;
  builder.Function("f", 1).Code(code_of_f).Size(90);
  builder.Function(callee, 1).Code(0x20002).Size(90).Arc("f", callee, 10);
  return builder.Build();
}

TEST(MatchCode, ARenamedCalleeIsNoChangeOfItsCaller) {
  EXPECT_EQ(ChangeOf({Calling("old", 0x50005)}, {Calling("young", 0x50006)}), CodeChange::kSame);
  EXPECT_EQ(ChangeOf({Calling("old", 0x50005)}, {Calling("young", 0x60006)}), CodeChange::kChanged);
  EXPECT_EQ(ChangeOf({Calling("old", 0x50005)}, {Calling("old", 0x50006)}), CodeChange::kChanged)
      << "nothing was renamed";
}

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

const FunctionPair* Find(const MatchedTarget& matched, const std::string& name) {
  const FunctionPair* found = nullptr;
  for (const FunctionPair& pair : matched.functions) {
    if (pair.name != name || !(pair.before.present() || pair.after.present())) continue;
    EXPECT_EQ(found, nullptr) << name << " is there twice";
    found = &pair;
  }
  return found;
}

MatchedTarget MatchTwo(const profile::ComputedProfile& before,
                       const profile::ComputedProfile& after) {
  return MatchTarget({&before, 1}, {&after, 1});
}

TEST(MatchTarget, StaticFunctionsOfOneNameAreToldApartByFile) {
  ProfileBuilder builder;
  builder.Function("helper", 1, 0, "a.c", 1, true);
  profile::ComputedProfile profile = builder.Build();
  profile.functions.push_back(profile.functions[0]);
  profile.functions[1].file = static_cast<uint32_t>(profile.strings.size());
  profile.strings.push_back("b.c");
  profile.functions[1].self_samples = 5;
  const MatchedTarget matched = MatchTarget({&profile, 1}, {&profile, 1});
  ASSERT_EQ(matched.functions.size(), 2u);
  for (const FunctionPair& pair : matched.functions) {
    EXPECT_EQ(pair.before.self_samples, pair.after.self_samples);
    EXPECT_EQ(pair.before.file, pair.after.file);
  }
}

TEST(MatchTarget, AStaticFunctionWhoseFileMovedIsTheSame) {
  ProfileBuilder before, after;
  before.Function("main").Function("helper", 1, 0, "old/a.c", 1, true).Arc("main", "helper", 3);
  after.Function("main").Function("helper", 2, 0, "new/a.c", 9, true).Arc("main", "helper", 3);
  const MatchedTarget matched = MatchTwo(before.Build(), after.Build());
  const FunctionPair* helper = Find(matched, "helper");
  ASSERT_NE(helper, nullptr);
  EXPECT_EQ(helper->before.calls.sum, 3u);
  EXPECT_EQ(helper->after.calls.sum, 3u);
  ASSERT_EQ(matched.arcs.size(), 1u);
  EXPECT_TRUE(matched.arcs[0].before.present && matched.arcs[0].after.present);
}

TEST(MatchTarget, AFunctionThatLostItsStaticIsTheSame) {
  ProfileBuilder before, after;
  before.Function("helper", 1, 0, "a.c", 1, true);
  after.Function("helper", 1, 0, "a.c", 1, false);
  EXPECT_NE(Find(MatchTwo(before.Build(), after.Build()), "helper"), nullptr);
}

// Two functions with a code and calls each.
profile::ComputedProfile Pair(const std::string& one, const std::string& two, uint64_t size) {
  ProfileBuilder builder;
  builder.Function(one, 1, 0, "a.cc", 10).Code(0x30003).Size(size).Arc("", one, 7);
  builder.Function(two, 1, 0, "a.cc", 20).Code(0x40004).Size(size).Arc("", two, 9);
  return builder.Build();
}

TEST(MatchTarget, FunctionsThatExchangedTheirNamesAreKnownByTheirCode) {
  const MatchedTarget matched = MatchTwo(Pair("load", "store", 40), Pair("store", "load", 40));
  const FunctionPair* const load = Find(matched, "load");
  ASSERT_NE(load, nullptr);
  EXPECT_EQ(load->renamed_from, "store");
  EXPECT_EQ(load->before.calls.sum, 9u);
  EXPECT_EQ(load->after.calls.sum, 9u);
  ASSERT_NE(Find(matched, "store"), nullptr);
  EXPECT_EQ(Find(matched, "store")->renamed_from, "load");
}

TEST(MatchTarget, OfAFewInstructionsTheNameCounts) {
  const MatchedTarget matched = MatchTwo(Pair("load", "store", 24), Pair("store", "load", 24));
  ASSERT_NE(Find(matched, "load"), nullptr);
  EXPECT_EQ(Find(matched, "load")->renamed_from, "");
}

TEST(MatchTarget, EqualFunctionsOfSeveralImagesAreSummed) {
  ProfileBuilder builder;
  builder.Function("inline_function", 2).Arc("", "inline_function", 7);
  profile::ComputedProfile one = builder.Build();
  profile::ComputedProfile two = one;
  two.functions.push_back(two.functions[0]);
  two.arcs[0].caller = 2;
  const MatchedTarget matched = MatchTarget({&one, 1}, {&two, 1});
  ASSERT_EQ(matched.functions.size(), 1u);
  EXPECT_EQ(matched.functions[0].after.calls.sum, 14u);
}

TEST(MatchTarget, SitesAreMatchedByPlaceWhenLinesShift) {
  ProfileBuilder before, after;
  before.Function("f").Function("g").Arc("f", "g", 5, 10, 16).Arc("f", "g", 7, 20, 32);
  after.Function("f").Function("g").Arc("f", "g", 5, 13, 16).Arc("f", "g", 9, 23, 40);
  const MatchedTarget matched = MatchTwo(before.Build(), after.Build());
  ASSERT_EQ(matched.arcs.size(), 1u);
  EXPECT_EQ(matched.arcs[0].before.sum, 12u);
  EXPECT_EQ(matched.arcs[0].after.sum, 14u);
  ASSERT_EQ(matched.arcs[0].sites.size(), 2u);
  EXPECT_EQ(matched.arcs[0].sites[1].line_before, 20u);
  EXPECT_EQ(matched.arcs[0].sites[1].line_after, 23u);
  EXPECT_EQ(matched.arcs[0].sites[1].before, 7u);
  EXPECT_EQ(matched.arcs[0].sites[1].after, 9u);
}

TEST(MatchTarget, ANewSiteIsFoundByItsLine) {
  ProfileBuilder before, after;
  before.Function("f").Function("g").Arc("f", "g", 5, 10, 16);
  after.Function("f").Function("g").Arc("f", "g", 5, 10, 16).Arc("f", "g", 4, 12, 32);
  const MatchedTarget matched = MatchTwo(before.Build(), after.Build());
  ASSERT_EQ(matched.arcs[0].sites.size(), 2u);
  EXPECT_EQ(matched.arcs[0].sites[0].after, 5u);
  EXPECT_EQ(matched.arcs[0].sites[1].line_after, 12u);
  EXPECT_EQ(matched.arcs[0].sites[1].before, 0u);
}

TEST(MatchTarget, OfEqualSitesTheNewOneIsWhereLinesBeginToShift) {
  ProfileBuilder before, after;
  before.Function("f").Function("g");
  before.Arc("f", "g", 1, 10, 16).Arc("f", "g", 5, 20, 32).Arc("f", "g", 5, 25, 48);
  after.Function("f").Function("g");
  after.Arc("f", "g", 1, 10, 16).Arc("f", "g", 5, 20, 32).Arc("f", "g", 5, 21, 48);
  after.Arc("f", "g", 5, 26, 64);
  const MatchedTarget matched = MatchTwo(before.Build(), after.Build());
  for (const CallSitePair& site : matched.arcs[0].sites) {
    if (site.before == 0) {
      EXPECT_EQ(site.line_after, 21u);
    } else {
      EXPECT_EQ(site.before, site.after) << site.line_after;
    }
  }
}

// Functions f and g, called by main; g is a static function of its own file.
ProfileBuilder Separate(uint64_t calls_of_f, uint64_t calls_of_g, bool is_static = false) {
  ProfileBuilder builder;
  builder.Function("main").Function("f").Function("g", 0, 0, "g.cc", 1, is_static);
  builder.Arc("main", "f", calls_of_f, 10, 10).Arc("main", "g", calls_of_g, 11, 20);
  return builder;
}

// The same where the linker folded g into f.
ProfileBuilder Folded(uint64_t calls) {
  ProfileBuilder builder;
  builder.Function("main").Function("f").Alias("g").Arc("main", "f", calls);
  return builder;
}

std::vector<std::pair<uint64_t, uint64_t>> CountsOf(const Runs& before, const Runs& after) {
  std::vector<std::pair<uint64_t, uint64_t>> counts;
  for (const ArcPair& arc : MatchTarget(before, after).arcs) {
    counts.emplace_back(arc.before.sum, arc.after.sum);
  }
  return counts;
}

TEST(MatchTarget, FunctionsThatOneSideFoldsAreOne) {
  for (const bool is_static : {false, true}) {
    const Runs separate = {Separate(100, 50, is_static).Build()};
    EXPECT_THAT(CountsOf(separate, {Folded(150).Build()}), ElementsAre(std::make_pair(150, 150)));
    EXPECT_THAT(CountsOf({Folded(150).Build()}, separate), ElementsAre(std::make_pair(150, 150)));
  }
}

TEST(MatchTarget, AFoldedFunctionIsKnownByEachOfItsNames) {
  ProfileBuilder only_g, under_g;
  only_g.Function("main").Function("g").Arc("main", "g", 7);
  EXPECT_THAT(CountsOf({only_g.Build()}, {Folded(7).Build()}), ElementsAre(std::make_pair(7, 7)));
  under_g.Function("main").Function("g").Alias("f").Arc("main", "g", 7);
  EXPECT_THAT(CountsOf({under_g.Build()}, {Folded(7).Build()}), ElementsAre(std::make_pair(7, 7)));
}

TEST(MatchTarget, CallsOfFoldedFunctionsFromOneSiteAddUp) {
  ProfileBuilder separate;
  separate.Function("main").Function("f").Function("g");
  separate.Arc("main", "f", 100, 10, 10).Arc("main", "g", 50, 10, 10);
  EXPECT_THAT(CountsOf({separate.Build()}, {Folded(150).Build()}),
              ElementsAre(std::make_pair(150, 150)));
}

TEST(MatchTarget, AConstructorsCallOfItsOwnVariantIsNone) {
  ProfileBuilder two, one;
  two.Function("main").Function("_ZN1AC1Ev").Function("_ZN1AC2Ev");
  two.Arc("main", "_ZN1AC1Ev", 9).Arc("_ZN1AC1Ev", "_ZN1AC2Ev", 9);
  one.Function("main").Function("_ZN1AC2Ev").Alias("_ZN1AC1Ev").Arc("main", "_ZN1AC2Ev", 9);
  EXPECT_THAT(CountsOf({two.Build()}, {one.Build()}), ElementsAre(std::make_pair(9, 9)));
}

}  // namespace

}  // namespace gprofhub::reporter
