#include "reporter/comparison/judge_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "reporter/comparison/match_target.h"
#include "reporter/comparison/moved_calls.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

MatchedTarget Target(double samples, uint64_t calls) {
  const profile::ComputedProfile profile =
      ProfileBuilder().Function("f", samples).Arc("", "f", calls).Build();
  return MatchTarget({&profile, 1}, {&profile, 1}, {});
}

TEST(CallCosts, WithoutASampleNothingIsKnown) {
  CallCosts costs;
  EXPECT_FALSE(costs.known());
  const MatchedTarget target = Target(0, 1000);
  costs.Add(target);
  EXPECT_FALSE(costs.known());
  EXPECT_EQ(costs.PerCall("f"), 0);
}

TEST(CallCosts, AddUpOverTargets) {
  CallCosts costs;
  const MatchedTarget first = Target(500, 1000), second = Target(1500, 1000);
  costs.Add(first);
  costs.Add(second);
  EXPECT_TRUE(costs.known());
  EXPECT_NEAR(costs.PerCall("f"), 1, 0.01);
}

TEST(CallCosts, OfAFunctionNobodySampledAreThoseOfAnyUntilItsCallsSayOtherwise) {
  CallCosts costs;
  const MatchedTarget target = Target(1000, 1000);
  costs.Add(target);
  EXPECT_NEAR(costs.PerCall("g"), costs.PerAnyCall(), 1e-9);
  const profile::ComputedProfile cheap =
      ProfileBuilder().Function("g", 0).Arc("", "g", 1'000'000).Build();
  const MatchedTarget other = MatchTarget({&cheap, 1}, {&cheap, 1}, {});
  costs.Add(other);
  EXPECT_LT(costs.PerCall("g"), 2e-6);
}

TEST(CallCosts, AreThoseOfAnyCallWhereFunctionsAreNotToldApart) {
  CallCosts costs(/*by_function=*/false);
  costs.Add(Target(1000, 10));
  EXPECT_TRUE(costs.known());
  EXPECT_EQ(costs.PerCall("f"), costs.PerAnyCall());
  EXPECT_EQ(costs.PerAnyCall(), 100);
}

// main → work, a hundred times. Each work calls malloc once, for the given number of bytes, and
// commits, which sync.
struct Work {
  uint64_t bytes_each = 1000;
  uint64_t commits = 1;     // per work
  uint64_t syncs_each = 1;  // per commit
  double samples = 1000;
};

profile::ComputedProfile ProfileOf(const Work& work) {
  ProfileBuilder builder;
  builder.Function("main", work.samples).Function("work", work.samples).Function("malloc");
  builder.Function("commit").Function("fsync").Function("gprofhub_allocated_bytes");
  builder.Arc("", "main", 1).Arc("main", "work", 100).Arc("work", "malloc", 100);
  builder.Arc("work", "gprofhub_allocated_bytes", 100 * work.bytes_each);
  builder.Arc("work", "commit", 100 * work.commits);
  builder.Arc("commit", "fsync", 100 * work.commits * work.syncs_each);
  return builder.Build();
}

std::vector<v1::Finding> FindingsOf(const Work& was, const Work& is) {
  const profile::ComputedProfile before = ProfileOf(was), after = ProfileOf(is);
  const MatchedTarget target = MatchTarget({&before, 1}, {&after, 1});
  CallCosts costs;
  costs.Add(target);
  const TargetTotals totals = {before.total_samples, after.total_samples};
  CallJudge judge(target, totals, costs, 0.005);
  return judge.Run({}, CostShifts(target.functions.size())).findings;
}

const v1::Finding* Find(const std::vector<v1::Finding>& findings, const std::string& function,
                        const std::string& caller) {
  for (const v1::Finding& finding : findings) {
    if (finding.function() == function && finding.caller() == caller) return &finding;
  }
  return nullptr;
}

TEST(ChangeCosts, BytesAreAShareOfBytesAndTakeNoTime) {
  for (const double samples : {1000., 0.}) {
    const auto findings =
        FindingsOf({.samples = samples}, {.bytes_each = 4000, .samples = samples});
    const v1::Finding* const bytes = Find(findings, "gprofhub_allocated_bytes", "work");
    ASSERT_NE(bytes, nullptr);
    EXPECT_EQ(bytes->after(), 400'000);
    EXPECT_EQ(bytes->impact(), 0);
    EXPECT_FALSE(bytes->has_share_of_calls());
    EXPECT_DOUBLE_EQ(bytes->share_of_bytes(), 0.75);
    EXPECT_EQ(bytes->share_of_waits(), 0);
    EXPECT_TRUE(bytes->material());
  }
}

TEST(ChangeCosts, FewBytesOrAFewPercentOfThemDoNotMatter) {
  const auto few = FindingsOf({.bytes_each = 10}, {.bytes_each = 600});
  EXPECT_FALSE(Find(few, "gprofhub_allocated_bytes", "work")->material()) << "59,000 of 60,000";
  const auto of_many = FindingsOf({.bytes_each = 100'000}, {.bytes_each = 104'000});
  EXPECT_FALSE(Find(of_many, "gprofhub_allocated_bytes", "work")->material()) << "4%";
}

// The CPU time of a second sync is invisible in a hundred calls.
TEST(ChangeCosts, CallsThatWaitMatterWhateverTheirTime) {
  const auto findings = FindingsOf({}, {.syncs_each = 2});
  const v1::Finding* const sync = Find(findings, "fsync", "commit");
  ASSERT_NE(sync, nullptr);
  EXPECT_LT(sync->impact(), 0.05);
  EXPECT_DOUBLE_EQ(sync->share_of_waits(), 0.5);
  EXPECT_TRUE(sync->material());
}

TEST(ChangeCosts, WhoBringsAlongCallsThatWaitIsToBlame) {
  const auto findings = FindingsOf({}, {.commits = 4});
  EXPECT_EQ(Find(findings, "fsync", "commit"), nullptr);
  const v1::Finding* const commits = Find(findings, "commit", "work");
  ASSERT_NE(commits, nullptr);
  EXPECT_DOUBLE_EQ(commits->share_of_waits(), 0.75);
  EXPECT_TRUE(commits->material());
}

// Until samples show otherwise, a call costs the average. Bytes are not calls.
TEST(ChangeCosts, BytesDoNotMakeCallsCheaper) {
  const auto impact = [](uint64_t bytes_each) {
    const auto findings =
        FindingsOf({.bytes_each = bytes_each}, {.bytes_each = bytes_each, .commits = 4});
    return Find(findings, "commit", "work")->impact();
  };
  EXPECT_DOUBLE_EQ(impact(1), impact(1'000'000));
}

// main → parse → next, with `per_parse` calls of next per parse.
profile::ComputedProfile Parser(uint64_t per_parse, double samples) {
  ProfileBuilder builder;
  builder.Function("main", samples).Function("parse", samples).Function("next", 2 * samples);
  builder.Function("read", samples);
  builder.Arc("", "main", 1).Arc("main", "parse", 10).Arc("parse", "next", 10 * per_parse);
  builder.Arc("next", "read", 10 * per_parse);
  return builder.Build();
}

struct Judged {
  MatchedTarget target;
  CallJudgement calls;

  const v1::Finding* Find(const std::string& function, const std::string& caller) const {
    for (const v1::Finding& finding : calls.findings) {
      if (finding.function() == function && finding.caller() == caller) return &finding;
    }
    return nullptr;
  }
};

// `moved`: a function whose work moved to others.
Judged JudgeTwo(const profile::ComputedProfile& before, const profile::ComputedProfile& after,
                const std::string& moved = "", double minimum_impact = 0.005) {
  Judged judged;
  judged.target = MatchTarget({&before, 1}, {&after, 1});
  CostShifts shifts(judged.target.functions.size());
  for (size_t i = 0; i < shifts.size(); ++i) {
    if (judged.target.functions[i].name == moved) shifts[i].set_kind(v1::Shift::INLINED);
  }
  const TargetTotals totals = {before.total_samples, after.total_samples};
  CallCosts costs;
  costs.Add(judged.target);
  judged.calls = CallJudge(judged.target, totals, costs, minimum_impact).Run({}, std::move(shifts));
  return judged;
}

TEST(JudgeCalls, FindsTheArcAndItsFunctionAndFoldsWhatFollows) {
  const Judged judged = JudgeTwo(Parser(2, 500), Parser(8, 500));
  const v1::Finding* const arc = judged.Find("next", "parse");
  ASSERT_NE(arc, nullptr);
  EXPECT_EQ(arc->verdict(), v1::Finding::REGRESSED);
  EXPECT_FALSE(arc->exact()) << "one run on each side does not show it";
  EXPECT_TRUE(arc->one_run());
  EXPECT_EQ(arc->before(), 20);
  EXPECT_EQ(arc->after(), 80);
  EXPECT_EQ(arc->effect_percent(), 300);
  EXPECT_EQ(arc->caller_calls_after(), 10);
  ASSERT_EQ(arc->follows_size(), 1);
  EXPECT_EQ(arc->follows(0), "read");
  ASSERT_NE(judged.Find("next", ""), nullptr);
  ASSERT_NE(judged.Find("read", ""), nullptr);
  EXPECT_EQ(judged.Find("read", "next"), nullptr) << "an arc that passes on has no finding";
  EXPECT_EQ(judged.Find("parse", ""), nullptr);
  EXPECT_TRUE(judged.calls.any_material);
}

// The same code on both sides, or another code digest of "parse".
profile::ComputedProfile WithCode(profile::ComputedProfile profile, uint32_t parse) {
  for (profile::FunctionCost& function : profile.functions) {
    function.code = profile.strings[function.name] == "parse" ? parse : 1;
  }
  return profile;
}

TEST(JudgeCalls, WhatNoChangedCodeExplainsIsToldOnceAndAlarmsNobody) {
  const Judged judged = JudgeTwo(WithCode(Parser(2, 500), 5), WithCode(Parser(8, 500), 5), "next");
  const v1::Finding* const arc = judged.Find("next", "parse");
  ASSERT_NE(arc, nullptr);
  EXPECT_EQ(arc->verdict(), v1::Finding::CANNOT_TELL);
  EXPECT_TRUE(arc->unexplained());
  EXPECT_FALSE(arc->material());
  for (const v1::Finding& finding : judged.calls.findings) {
    EXPECT_FALSE(finding.caller().empty()) << finding.function() << ": only where it began";
  }
  for (const Belief belief : judged.calls.belief) EXPECT_EQ(belief, Belief::kChance);
}

TEST(JudgeCalls, WhereNeitherCodeNorCountsChangedTimesAreChanceHoweverManyRunsThereAre) {
  const auto chance = [](uint64_t next, uint32_t code) {
    const std::vector<profile::ComputedProfile> base(3, WithCode(Parser(2, 500), 5)),
        head(3, WithCode(Parser(next, 500), code));
    const MatchedTarget target = MatchTarget(base, head, {});
    const CallCosts costs;
    CallJudge judge(target, TargetTotals(), costs, 0.005);
    const CallJudgement judgement = judge.Run({}, FindCostShifts(target));
    return std::count(judgement.belief.begin(), judgement.belief.end(), Belief::kChance);
  };
  EXPECT_GT(chance(2, 5), 0);
  EXPECT_EQ(chance(2, 6), 0) << "the code changed";
  EXPECT_EQ(chance(8, 5), 0) << "counts that repeat changed: the test's data did";
}

// main calls `set`, whose code changed, and `reader`, which calls `item` for each datum.
profile::ComputedProfile Reader(uint32_t code, uint64_t items, uint32_t executions = 1) {
  ProfileBuilder builder;
  builder.Function("main", 100).Code(1).Function("set", 100).Code(code);
  builder.Function("reader", 100).Code(3).Function("item", 400).Code(4);
  builder.Arc("", "main", executions).Arc("main", "set", executions);
  builder.Arc("main", "reader", executions * 10).Arc("reader", "item", executions * items);
  return builder.Repetitions(executions).Build();
}

// The finding about the caller's calls of item.
v1::Finding OfItem(const std::vector<profile::ComputedProfile>& base,
                   const std::vector<profile::ComputedProfile>& head,
                   const std::string& caller = "reader") {
  const MatchedTarget target = MatchTarget(base, head, {});
  const TargetTotals totals = {700, 700};
  CallCosts costs;
  costs.Add(target);
  CallJudge judge(target, totals, costs, 0.005);
  NoisyFunctions noisy;
  judge.AddNoise(noisy);
  for (const v1::Finding& finding : judge.Run(noisy, FindCostShifts(target)).findings) {
    if (finding.function() == "item" && finding.caller() == caller) return finding;
  }
  ADD_FAILURE() << "no finding";
  return {};
}

TEST(JudgeCalls, OtherDataOfAnEditedInitialiserIsUnconfirmedInOneRun) {
  const v1::Finding finding = OfItem({Reader(2, 1000)}, {Reader(7, 4000)});
  EXPECT_EQ(finding.verdict(), v1::Finding::CANNOT_TELL);
  EXPECT_TRUE(finding.unconfirmed());
  EXPECT_FALSE(finding.unexplained());
  EXPECT_TRUE(finding.material());
  ASSERT_EQ(finding.edited_size(), 1);
  EXPECT_EQ(finding.edited(0), "set");
}

TEST(JudgeCalls, OtherDataIsARegressionOnceTheHeadRepeatsIt) {
  const std::vector<profile::ComputedProfile> base = {Reader(2, 1000)};
  const v1::Finding repeats = OfItem(base, {Reader(7, 4000), Reader(7, 4000)});
  EXPECT_EQ(repeats.verdict(), v1::Finding::REGRESSED);
  ASSERT_EQ(repeats.edited_size(), 1) << "the reader's code is the same";
  EXPECT_EQ(repeats.edited(0), "set");
  EXPECT_EQ(OfItem({Reader(2, 1000, 2)}, {Reader(7, 4000, 2)}).verdict(), v1::Finding::REGRESSED);
  const v1::Finding varies = OfItem(base, {Reader(7, 4000), Reader(7, 4100)}, "");
  EXPECT_EQ(varies.verdict(), v1::Finding::CANNOT_TELL);
  EXPECT_FALSE(varies.exact());
}

TEST(JudgeCalls, WhatChangedCodeExplainsIsFound) {
  const Judged judged = JudgeTwo(WithCode(Parser(2, 500), 5), WithCode(Parser(8, 500), 6));
  const v1::Finding* const arc = judged.Find("next", "parse");
  ASSERT_NE(arc, nullptr);
  EXPECT_EQ(arc->verdict(), v1::Finding::REGRESSED);
  EXPECT_FALSE(arc->unexplained());
  EXPECT_NE(judged.Find("next", ""), nullptr);
}

TEST(JudgeCalls, ImpactIsTheShareOfWhatTheAddedCallsCost) {
  const Judged judged = JudgeTwo(Parser(2, 50000), Parser(8, 50000));
  // Three quarters of next's and read's calls are new; these have 3/5 of the samples.
  EXPECT_NEAR(judged.Find("next", "parse")->impact(), 0.75 * 3 / 5, 0.001);
  EXPECT_FALSE(judged.Find("next", "parse")->has_share_of_calls());
}

TEST(JudgeCalls, AChangeBelowTheMinimumIsNotMaterial) {
  EXPECT_TRUE(JudgeTwo(Parser(2, 500), Parser(8, 500), "", 0.3).calls.any_material);
  EXPECT_FALSE(JudgeTwo(Parser(2, 500), Parser(8, 500), "", 0.6).calls.any_material);
}

// Two functions allocate. The code of one changed; the other's bytes vary by chance.
TEST(JudgeCalls, BytesThatDifferByChanceSayNothingOfOtherCallers) {
  const auto allocations = [](uint32_t code, uint64_t by_changed, uint64_t by_other) {
    ProfileBuilder builder;
    builder.Function("main", 100).Code(1).Function("changed", 100).Code(code);
    builder.Function("other", 100).Code(1).Function("gprofhub_allocated_bytes").Code(1);
    builder.Arc("", "main", 1).Arc("main", "changed", 10).Arc("main", "other", 10);
    builder.Arc("changed", "gprofhub_allocated_bytes", by_changed);
    builder.Arc("other", "gprofhub_allocated_bytes", by_other);
    return builder.Build();
  };
  const Judged judged = JudgeTwo(allocations(1, 1000, 119), allocations(2, 900'000, 120));
  const v1::Finding* const changed = judged.Find("gprofhub_allocated_bytes", "changed");
  ASSERT_NE(changed, nullptr);
  EXPECT_EQ(changed->verdict(), v1::Finding::REGRESSED);
  const v1::Finding* const other = judged.Find("gprofhub_allocated_bytes", "other");
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->verdict(), v1::Finding::CANNOT_TELL);
  EXPECT_TRUE(other->unconfirmed());
  EXPECT_FALSE(other->material());
}

TEST(JudgeCalls, WithoutSamplesAChangeIsAShareOfCalls) {
  const Judged judged = JudgeTwo(Parser(2, 0), Parser(8, 0));
  const v1::Finding* const arc = judged.Find("next", "parse");
  ASSERT_NE(arc, nullptr);
  EXPECT_EQ(arc->impact(), 0);
  EXPECT_NEAR(arc->share_of_calls(), 120. / 171, 1e-9) << "60 of next and 60 of read, of 171";
  EXPECT_TRUE(arc->material());
}

TEST(JudgeCalls, WhatOnlyMovedIsShiftedAndNotMaterial) {
  const Judged judged = JudgeTwo(Parser(2, 500), Parser(8, 500), "next");
  for (const char* const caller : {"", "parse"}) {
    const v1::Finding* const finding = judged.Find("next", caller);
    ASSERT_NE(finding, nullptr) << caller;
    EXPECT_EQ(finding->verdict(), v1::Finding::SHIFTED);
    EXPECT_EQ(finding->shift().kind(), v1::Shift::INLINED);
    EXPECT_FALSE(finding->material());
  }
}

TEST(JudgeCalls, AFunctionOfOneSideIsNewOrVanished) {
  profile::ComputedProfile with = Parser(2, 500);
  ProfileBuilder builder;
  builder.Function("main", 500).Function("parse", 500).Arc("", "main", 1).Arc("main", "parse", 10);
  const profile::ComputedProfile without = builder.Build();
  EXPECT_EQ(JudgeTwo(without, with).Find("next", "")->verdict(), v1::Finding::NEW);
  EXPECT_EQ(JudgeTwo(with, without).Find("next", "")->verdict(), v1::Finding::VANISHED);
}

TEST(Shares, OfATargetWithFewSamplesAreSmall) {
  FunctionPair function;
  function.before.self_samples = 60;
  function.before.child_samples = 40;
  function.after.self_samples = 900;
  EXPECT_DOUBLE_EQ(ShareBefore(function, {100, 900}), 0.5) << "a hundred samples of doubt";
  EXPECT_DOUBLE_EQ(ShareAfter(function, {100, 900}), 0.9);
}

// Waiting time is a quantity on the listings of both sides. It is not compared as a count.
TEST(JudgeCalls, TimeThatIsCountedIsNotJudged) {
  const auto waiting = [](uint64_t microseconds) {
    ProfileBuilder builder;
    builder.Function("main", 10).Function("read", 10);
    builder.Arc("", "main", 1).Arc("main", "read", 5);
    if (microseconds > 0) {
      builder.Function("gprofhub_waiting_microseconds").Function("gprofhub_system_microseconds");
      builder.Arc("read", "gprofhub_waiting_microseconds", microseconds);
      builder.Arc("", "gprofhub_waiting_microseconds", 2 * microseconds);
      builder.Arc("read", "gprofhub_system_microseconds", 3 * microseconds);
    }
    return builder.Build();
  };
  EXPECT_TRUE(JudgeTwo(waiting(1000), waiting(5000)).calls.findings.empty());
  EXPECT_TRUE(JudgeTwo(waiting(0), waiting(5000)).calls.findings.empty());
  EXPECT_TRUE(JudgeTwo(waiting(1000), waiting(0)).calls.findings.empty());
}

}  // namespace

}  // namespace gprofhub::reporter
