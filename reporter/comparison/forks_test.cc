#include "reporter/comparison/forks.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "reporter/comparison/match_target.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

// Matches two profiles and finds the forks.
class Found {
 public:
  Found(const ProfileBuilder& before, const ProfileBuilder& after)
      : before_(before.Build()),
        after_(after.Build()),
        target_(MatchTarget({&before_, 1}, {&after_, 1})) {
    std::vector<CountChange> arcs;
    for (const ArcPair& arc : target_.arcs) {
      arcs.push_back(JudgeCount({&arc.before, 1, target_.repetitions_before},
                                {&arc.after, 1, target_.repetitions_after}, UsualSpread({})));
    }
    forks_ = FindForks(target_, arcs, {});
  }

  bool Forked(const std::string& name) const { return forks_.forked[Node(name)]; }
  bool LedByData(const std::string& name) const { return forks_.led_by[Node(name)].has_value(); }
  // The caller of the arc that leads the function.
  std::string Leader(const std::string& name) const {
    const std::optional<size_t> leader = forks_.led_by[Node(name)];
    if (!leader.has_value()) return "none";
    return std::string(target_.functions[target_.arcs[*leader].caller].name);
  }
  ArcChange Change(const std::string& caller, const std::string& callee) const {
    for (size_t i = 0; i < target_.arcs.size(); ++i) {
      const ArcPair& arc = target_.arcs[i];
      if (arc.caller == Node(caller) && arc.callee == Node(callee)) return forks_.changes[i];
    }
    ADD_FAILURE() << caller << " → " << callee;
    return {};
  }
  const MatchedTarget& target() const { return target_; }

 private:
  // An empty name: kSpontaneous.
  size_t Node(const std::string& name) const {
    for (size_t i = 0; i < target_.functions.size(); ++i) {
      if (target_.functions[i].name == name) return i;
    }
    EXPECT_EQ(name, "");
    return target_.functions.size();
  }

  const profile::ComputedProfile before_, after_;
  const MatchedTarget target_;
  Forks forks_;
};

// main → work → item. `sizes`: of work and of item's caller.
ProfileBuilder Work(uint64_t works, uint64_t items, uint64_t main_size, uint64_t work_size) {
  ProfileBuilder builder;
  builder.Function("main").Size(main_size).Function("work").Size(work_size).Function("item");
  for (int i = 0; i < 50; ++i) builder.Function("other" + std::to_string(i)).Size(64);
  builder.Arc("", "main", 1).Arc("main", "work", works).Arc("work", "item", items);
  return builder;
}

TEST(FindForks, AFunctionCalledAsBeforeThatCallsMoreForked) {
  const Found found(Work(10, 30, 0, 0), Work(10, 80, 0, 0));
  EXPECT_TRUE(found.Forked("work"));
  EXPECT_FALSE(found.Forked("main"));
  EXPECT_FALSE(found.LedByData("work"));
}

TEST(FindForks, OneThatIsCalledMoreAndCallsMoreEachTimeFollows) {
  const Found found(Work(10, 35, 0, 0), Work(20, 90, 0, 0));
  EXPECT_TRUE(found.Forked("main"));
  EXPECT_FALSE(found.Forked("work"));
}

TEST(FindForks, OtherSizeSaysThatItForkedToo) {
  const Found found(Work(10, 35, 100, 200), Work(20, 140, 116, 216));
  EXPECT_TRUE(found.Forked("main"));
  EXPECT_TRUE(found.Forked("work"));
  const Found same(Work(10, 35, 100, 200), Work(20, 140, 116, 200));
  EXPECT_FALSE(same.Forked("work"));
}

TEST(FindForks, SizesSayNothingWhereAllDiffer) {
  ProfileBuilder before = Work(10, 35, 100, 200), after = Work(20, 140, 116, 216);
  for (int i = 0; i < 1000; ++i) {
    before.Function("recompiled" + std::to_string(i)).Size(64);
    after.Function("recompiled" + std::to_string(i)).Size(80);
  }
  EXPECT_FALSE(Found(before, after).Forked("work"));
}

TEST(FindForks, FarMoreThanTheOtherCallsExplainForked) {
  const Found some(Work(10, 30, 0, 0), Work(20, 130, 0, 0));
  EXPECT_FALSE(some.Forked("work"));
  EXPECT_TRUE(some.Change("work", "item").may_follow) << "but it is told";
  const Found far(Work(10, 30, 0, 0), Work(20, 3000, 0, 0));
  EXPECT_TRUE(far.Forked("work"));
  EXPECT_FALSE(far.Change("work", "item").may_follow);
  const Found little(Work(10, 30, 100, 200), Work(20, 63, 116, 200));
  EXPECT_EQ(little.Change("work", "item").own, 0) << "what some conditions do";
}

TEST(FindForks, WhatIsBelowDoesNotLeadWhatIsAbove) {
  // By its size, main's code did not change; far below it a count explodes.
  const Found found(Work(10, 30, 100, 0), Work(20, 30000, 100, 0));
  EXPECT_TRUE(found.Forked("work"));
  EXPECT_TRUE(found.Forked("main")) << "work is called by main, and cannot lead it";
}

// main → {odd ⇄ even} → leaf, with these numbers of calls.
ProfileBuilder Cycle(uint64_t to_even, uint64_t to_odd, uint64_t to_leaf) {
  ProfileBuilder builder;
  builder.Function("main").Function("odd").Function("even").Function("leaf").Arc("", "main", 1);
  builder.Arc("main", "odd", 10).Arc("odd", "even", to_even).Arc("even", "odd", to_odd);
  return builder.Arc("even", "leaf", to_leaf);
}

TEST(FindForks, OneOfACycleForkedIfNothingChangedLeadsIntoIt) {
  // odd calls even on each call; even calls odd on half of its calls, then on 9/10.
  const Found found(Cycle(20, 10, 20), Cycle(100, 90, 100));
  EXPECT_TRUE(found.Forked("even"));
  EXPECT_FALSE(found.Forked("odd"));
  EXPECT_FALSE(found.Forked("main"));
}

// main → sort, which calls itself and compares.
ProfileBuilder Sort(uint64_t recursions, uint64_t comparisons) {
  ProfileBuilder builder;
  builder.Function("main").Function("sort").Function("compare").Arc("", "main", 1);
  builder.Arc("main", "sort", 6).Arc("sort", "sort", recursions);
  return builder.Arc("sort", "compare", comparisons);
}

TEST(FindForks, ARecursionThatGoesDeeperExplainsWhatEachOfItsCallsDoesLess) {
  const Found found(Sort(50'000, 2'300'000), Sort(650'000, 9'000'000));
  EXPECT_TRUE(found.Forked("sort"));
  EXPECT_EQ(found.Change("sort", "compare").own, 0) << "14 for each call, were 46";
  EXPECT_GT(found.Change("sort", "sort").own, 0);
  const Found more(Sort(50'000, 2'300'000), Sort(100'000, 9'000'000));
  EXPECT_GT(more.Change("sort", "compare").own, 0);
}

TEST(FindForks, WhatALibraryCallsBackFollows) {
  ProfileBuilder before = Work(10, 30, 0, 0), after = Work(10, 80, 0, 0);
  before.Function("compare").Arc("", "compare", 100);
  after.Function("compare").Arc("", "compare", 400);
  const Found found(before, after);
  EXPECT_TRUE(found.Forked("work"));
  EXPECT_TRUE(found.LedByData(""));
  ProfileBuilder alone = Work(10, 30, 0, 0);
  alone.Function("compare").Arc("", "compare", 400);
  EXPECT_TRUE(Found(before, alone).Forked("")) << "nothing else explains it";
}

// main → load → push; main → scan → visit; main → other → line. `code`: of load, scan and other.
ProfileBuilder Siblings(uint64_t pushes, uint64_t visits, uint64_t lines,
                        const std::vector<uint64_t>& code) {
  ProfileBuilder builder;
  builder.Function("main").Code(1).Function("load").Code(code[0]).Function("scan").Code(code[1]);
  builder.Function("other").Code(code[2]).Function("push").Code(2).Function("visit").Code(3);
  builder.Function("line", 900).Code(4).Arc("", "main", 1).Arc("main", "load", 10);
  builder.Arc("main", "scan", 10).Arc("main", "other", 10).Arc("load", "push", pushes);
  return std::move(builder.Arc("scan", "visit", visits).Arc("other", "line", lines));
}

TEST(FindForks, UnchangedCodeIsLedByTheEditThatItsCallsAreAMultipleOf) {
  const Found found(Siblings(100, 300, 10, {5, 6, 7}), Siblings(200, 600, 60, {50, 6, 70}));
  EXPECT_TRUE(found.Forked("load"));
  EXPECT_TRUE(found.Forked("other"));
  EXPECT_FALSE(found.Forked("scan"));
  EXPECT_EQ(found.Leader("scan"), "load") << "although line costs more, and its calls divide too";
}

TEST(FindForks, ASavingDoesNotLeadACost) {
  const Found found(Siblings(200, 300, 10, {5, 6, 7}), Siblings(100, 600, 10, {50, 6, 7}));
  EXPECT_TRUE(found.Forked("load"));
  EXPECT_TRUE(found.Forked("scan"));
  const Found reversed(Siblings(100, 600, 10, {5, 6, 7}), Siblings(200, 300, 10, {50, 6, 7}));
  EXPECT_EQ(reversed.Leader("scan"), "load");
}

TEST(FindForks, AnEditedCallerIsCloserThanAForkElsewhere) {
  ProfileBuilder before = Siblings(100, 300, 10, {5, 6, 7}),
                 after = Siblings(170, 600, 10, {50, 6, 7});
  before.Function("size").Code(8).Arc("scan", "size", 10);
  after.Function("size").Code(80).Arc("scan", "size", 10);
  EXPECT_TRUE(Found(before, after).Forked("scan")) << "size may return another number";
}

TEST(FindForks, UnchangedCodeThatIsCalledALittleMoreDoesNotFork) {
  // main → load → {push, scan → visit}: load is edited, and scan does a thousand times the work.
  const auto nested = [](uint64_t pushes, uint64_t scans, uint64_t visits, uint64_t code) {
    ProfileBuilder builder;
    builder.Function("main").Code(1).Function("load").Code(code).Function("push").Code(2);
    builder.Function("scan").Code(3).Function("visit").Code(4).Arc("", "main", 1);
    builder.Arc("main", "load", 10).Arc("load", "push", pushes).Arc("load", "scan", scans);
    return std::move(builder.Arc("scan", "visit", visits));
  };
  const Found found(nested(100, 1000, 1000, 5), nested(200, 1010, 1'000'000, 50));
  EXPECT_FALSE(found.Forked("scan"));
  EXPECT_EQ(found.Leader("scan"), "load");
  const Found unedited(nested(100, 1000, 1000, 5), nested(200, 1010, 1'000'000, 5));
  EXPECT_TRUE(unedited.Forked("scan")) << "no edit explains it";
}

TEST(CallerCalls, OfWhatIsNeverCalledAreTheExecutions) {
  const Found found(Work(10, 30, 0, 0).Repetitions(4), Work(10, 30, 0, 0).Repetitions(2));
  EXPECT_EQ(CallerCalls(found.target(), kSpontaneous, false), 4u);
  EXPECT_EQ(CallerCalls(found.target(), kSpontaneous, true), 2u);
  EXPECT_EQ(CallerCalls(found.target(), 1, false), 10u);
}

}  // namespace

}  // namespace gprofhub::reporter
