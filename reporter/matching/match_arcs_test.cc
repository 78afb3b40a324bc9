#include "reporter/matching/match_arcs.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "reporter/testing/matched_sides.h"
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

}  // namespace
}  // namespace gprofhub::reporter
