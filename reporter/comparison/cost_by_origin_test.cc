#include "reporter/comparison/cost_by_origin.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "reporter/comparison/match_target.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

// Matches two profiles and finds the origins of their changes.
class Found {
 public:
  Found(const ProfileBuilder& before, const ProfileBuilder& after)
      : before_(before.Build()),
        after_(after.Build()),
        target_(MatchTarget({&before_, 1}, {&after_, 1})) {
    for (const ArcPair& pair : target_.arcs) arcs_.push_back(Test(pair.before, pair.after));
  }

  uint32_t Function(const std::string& name) const {
    for (uint32_t i = 0; i < target_.functions.size(); ++i) {
      if (target_.functions[i].name == name) return i;
    }
    ADD_FAILURE() << name;
    return 0;
  }

  size_t Arc(const std::string& caller, const std::string& callee) const {
    const uint32_t from = caller.empty() ? kSpontaneous : Function(caller);
    for (size_t i = 0; i < target_.arcs.size(); ++i) {
      if (target_.arcs[i].caller == from && target_.arcs[i].callee == Function(callee)) return i;
    }
    ADD_FAILURE() << caller << " → " << callee;
    return 0;
  }

  ChangeOrigins Judge() const { return ChangeOrigins(target_, arcs_, {}); }
  const MatchedTarget& target() const { return target_; }

 private:
  CountChange Test(const Count& before, const Count& after) const {
    return JudgeCount({&before, target_.runs_before, target_.repetitions_before},
                      {&after, target_.runs_after, target_.repetitions_after}, UsualSpread({}));
  }

  const profile::ComputedProfile before_, after_;
  const MatchedTarget target_;
  std::vector<CountChange> arcs_;
};

// main → parse → next → read.
ProfileBuilder Chain(uint64_t parses, uint64_t per_parse) {
  ProfileBuilder builder;
  builder.Function("main").Function("parse").Function("next").Function("read");
  builder.Arc("", "main", 1).Arc("main", "parse", parses);
  builder.Arc("parse", "next", parses * per_parse).Arc("next", "read", parses * per_parse * 2);
  return builder;
}

TEST(ChangeOrigins, AChangeBeginsWhereTheCallsPerCallDiffer) {
  const Found found(Chain(10, 3), Chain(10, 8));
  const ChangeOrigins origins = found.Judge();
  EXPECT_TRUE(origins.Began(found.Arc("parse", "next")));
  EXPECT_FALSE(origins.Began(found.Arc("next", "read")));
  EXPECT_FALSE(origins.Began(found.Arc("main", "parse")));
  EXPECT_FALSE(origins.Follows(found.Function("next"))) << "its own arc began";
  EXPECT_TRUE(origins.Follows(found.Function("read")));
  EXPECT_EQ(origins.OriginOf(found.Function("read")), found.Arc("parse", "next"));
  EXPECT_FALSE(origins.Follows(found.Function("parse"))) << "it did not change";
  EXPECT_EQ(origins.OriginOf(found.Function("parse")), std::nullopt);
}

TEST(ChangeOrigins, WhatMoreCallsOfACallerMayBringMayFollow) {
  const Found found(Chain(10, 3), Chain(20, 8));
  const ChangeOrigins origins = found.Judge();
  EXPECT_FALSE(origins.parts()[found.Arc("main", "parse")].may_follow);
  const size_t arc = found.Arc("parse", "next");
  EXPECT_TRUE(origins.Began(arc));
  EXPECT_TRUE(origins.parts()[arc].may_follow) << "ten more calls made 13 each, not 3";
  const ArcChange& passed_on = origins.parts()[found.Arc("next", "read")];
  EXPECT_EQ(passed_on.own, 0);
  EXPECT_DOUBLE_EQ(passed_on.inherited, 2 * (20 * 8 - 10 * 3));
}

TEST(ChangeOrigins, AnArcsChangeIsItsOwnAndWhatItsCallerBrings) {
  const Found found(Chain(10, 3), Chain(20, 30000));
  const ChangeOrigins origins = found.Judge();
  ASSERT_TRUE(origins.Began(found.Arc("parse", "next")));
  const ArcChange& change = origins.parts()[found.Arc("parse", "next")];
  EXPECT_FALSE(change.may_follow) << "far more than ten calls explain";
  EXPECT_DOUBLE_EQ(change.own, 20 * 30000 - 20 * 3);
  EXPECT_DOUBLE_EQ(change.inherited, 20 * 3 - 10 * 3);
}

TEST(ChangeOrigins, WhatANewFunctionCallsFollowsFromItsCall) {
  ProfileBuilder before = Chain(10, 3), after = Chain(10, 3);
  after.Function("cache").Arc("main", "cache", 4).Arc("cache", "read", 12);
  const Found found(before, after);
  const ChangeOrigins origins = found.Judge();
  EXPECT_TRUE(origins.Began(found.Arc("main", "cache")));
  EXPECT_FALSE(origins.Began(found.Arc("cache", "read")));
  EXPECT_EQ(origins.OriginOf(found.Function("read")), found.Arc("main", "cache"));
}

TEST(ChangeOrigins, RecursionIsCountedPerCallFromOutside) {
  const auto recursive = [](uint64_t outside, uint64_t inside) {
    ProfileBuilder builder;
    builder.Function("main").Function("walk").Arc("", "main", 1);
    return builder.Arc("main", "walk", outside).Arc("walk", "walk", inside);
  };
  const Found more_calls(recursive(10, 50), recursive(20, 100));
  EXPECT_TRUE(more_calls.Judge().Began(more_calls.Arc("main", "walk")));
  EXPECT_FALSE(more_calls.Judge().Began(more_calls.Arc("walk", "walk")));
  const Found deeper(recursive(10, 50), recursive(10, 80));
  EXPECT_FALSE(deeper.Judge().Began(deeper.Arc("main", "walk")));
  EXPECT_TRUE(deeper.Judge().Began(deeper.Arc("walk", "walk")));
}

// The number of show's calls does not change, but it iterates over what add has added.
ProfileBuilder List(uint64_t adds, uint64_t show_size) {
  ProfileBuilder builder;
  builder.Function("main").Function("fill").Size(100 + adds).Function("add").Function("show");
  builder.Size(show_size).Function("print");
  builder.Arc("", "main", 1).Arc("main", "fill", 1).Arc("main", "show", 1);
  return builder.Arc("fill", "add", adds).Arc("show", "print", adds);
}

TEST(ChangeOrigins, WhatReadsOtherDataFollowsTheLargestFork) {
  const Found found(List(10, 200), List(20, 200));
  const ChangeOrigins origins = found.Judge();
  EXPECT_TRUE(origins.Began(found.Arc("fill", "add")));
  EXPECT_TRUE(origins.parts()[found.Arc("show", "print")].may_follow) << "its code is as it was";
  EXPECT_EQ(origins.LeaderOf(found.Function("show")), found.Arc("fill", "add"));
  EXPECT_EQ(origins.LeaderOf(found.Function("main")), std::nullopt);
}

// A target with this number of functions and these arcs (caller, callee).
MatchedTarget Target(size_t functions, const std::vector<std::pair<uint32_t, uint32_t>>& arcs) {
  MatchedTarget target;
  target.functions.resize(functions);
  for (const auto& [caller, callee] : arcs) {
    ArcPair& arc = target.arcs.emplace_back();
    arc.caller = caller;
    arc.callee = callee;
  }
  return target;
}

TEST(ShareOutCost, AllLiesWhereTheChangeBegan) {
  // 0 → 1 → 2: 0 calls 1 more often; 1 calls 2 as often per call as before.
  const MatchedTarget target = Target(3, {{0, 1}, {1, 2}});
  const CostByOrigin cost = ShareOutCost(target, {0, 0.1, 0.2}, {{10, 0}, {0, 20}});
  EXPECT_DOUBLE_EQ(cost.arcs[0], 0.3);
  EXPECT_DOUBLE_EQ(cost.arcs[1], 0);
  EXPECT_DOUBLE_EQ(cost.functions[1], 0.3);
  EXPECT_DOUBLE_EQ(cost.functions[2], 0.2);
}

TEST(ShareOutCost, PartsShareInProportion) {
  // 2 is called more by 0 itself, and by 1, whose calls increased.
  const MatchedTarget target = Target(3, {{0, 1}, {0, 2}, {1, 2}});
  const CostByOrigin cost = ShareOutCost(target, {0, 0, 0.4}, {{5, 0}, {30, 0}, {0, 10}});
  EXPECT_DOUBLE_EQ(cost.arcs[1], 0.3);
  EXPECT_DOUBLE_EQ(cost.arcs[0], 0.1);
}

TEST(ShareOutCost, ACycleLeavesOverTheArcThatCameIn) {
  // 0 → 1 ⇄ 2.
  const MatchedTarget target = Target(3, {{0, 1}, {1, 2}, {2, 1}});
  const CostByOrigin cost = ShareOutCost(target, {0, 0.1, 0.1}, {{1, 0}, {0, 50}, {0, 50}});
  EXPECT_NEAR(cost.arcs[0], 0.2, 1e-9);
}

TEST(ShareOutCost, WhatMayFollowTheCallerIsTheCallersToo) {
  const MatchedTarget target = Target(3, {{0, 1}, {1, 2}});
  const CostByOrigin cost = ShareOutCost(target, {0, 0.1, 0.2}, {{10, 0}, {20, 0, true}});
  EXPECT_DOUBLE_EQ(cost.arcs[1], 0.2);
  EXPECT_DOUBLE_EQ(cost.arcs[0], 0.3);
}

TEST(ShareOutCost, WhatMayFollowNobodyKeepsItsCost) {
  const MatchedTarget target = Target(2, {{kSpontaneous, 0}, {0, 1}});
  const CostByOrigin cost = ShareOutCost(target, {0.1, 0.2}, {{10, 0, true}, {0, 20}});
  EXPECT_DOUBLE_EQ(cost.arcs[0], 0.3);
  EXPECT_DOUBLE_EQ(cost.functions[0], 0.3);
}

}  // namespace

}  // namespace gprofhub::reporter
