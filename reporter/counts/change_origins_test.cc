#include "reporter/counts/change_origins.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reporter/matching/match_target.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {
namespace {

// Two profiles matched, and where their changes began.
class Found {
 public:
  Found(const ProfileBuilder& before, const ProfileBuilder& after)
      : before_(before.Build()),
        after_(after.Build()),
        target_(MatchTarget({&before_, 1}, {&after_, 1})) {
    for (const FunctionPair& pair : target_.functions) {
      functions_.push_back(Test(pair.before.calls, pair.after.calls));
    }
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

  ChangeOrigins Judge() const { return ChangeOrigins(target_, functions_, arcs_); }
  const MatchedTarget& target() const { return target_; }

 private:
  CountChange Test(const Count& before, const Count& after) const {
    return JudgeCount({&before, target_.runs_before, target_.repetitions_before},
                      {&after, target_.runs_after, target_.repetitions_after}, UsualSpread({}));
  }

  const profile::ComputedProfile before_, after_;
  const MatchedTarget target_;
  std::vector<CountChange> functions_, arcs_;
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

TEST(ChangeOrigins, AnArcsChangeIsItsOwnAndWhatItsCallerBrings) {
  const Found found(Chain(10, 3), Chain(20, 8));
  const ChangeOrigins origins = found.Judge();
  const ArcChange& change = origins.parts()[found.Arc("parse", "next")];
  EXPECT_DOUBLE_EQ(change.own, 20 * 8 - 20 * 3);
  EXPECT_DOUBLE_EQ(change.inherited, 20 * 3 - 10 * 3);
  EXPECT_TRUE(change.follows_caller) << "parse is called twice as often, too";
  const ArcChange& passed_on = origins.parts()[found.Arc("next", "read")];
  EXPECT_EQ(passed_on.own, 0);
  EXPECT_DOUBLE_EQ(passed_on.inherited, 2 * (20 * 8 - 10 * 3));
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

TEST(CallerCalls, OfWhatIsNeverCalledAreTheExecutions) {
  const Found found(Chain(10, 3).Repetitions(4), Chain(10, 3).Repetitions(2));
  EXPECT_EQ(CallerCalls(found.target(), kSpontaneous, false), 4u);
  EXPECT_EQ(CallerCalls(found.target(), kSpontaneous, true), 2u);
  EXPECT_EQ(CallerCalls(found.target(), found.Function("parse"), false), 10u);
}

}  // namespace
}  // namespace gprofhub::reporter
