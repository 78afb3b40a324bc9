#include "reporter/comparison/compare_sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "reporter/comparison/match_target.h"
#include "reporter/testing/compared_profiles.h"
#include "reporter/testing/memory_history.h"
#include "reporter/testing/profile_builder.h"

namespace gprofhub::reporter {

namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

v1::Finding ByChance(const std::string& function, const std::string& target) {
  v1::Finding finding = Calls(function, "main");
  finding.set_function_display(function);
  finding.set_target(target);
  finding.set_exact(false);
  finding.set_unexplained(true);
  finding.set_verdict(v1::Finding::CANNOT_TELL);
  return finding;
}

std::vector<std::string> Notes(const std::vector<v1::Finding>& findings) {
  v1::Report report;
  NoteVaryingCounts(findings, report);
  return {report.warnings().begin(), report.warnings().end()};
}

TEST(NoteVaryingCounts, ExactCountsAreNotMentioned) {
  v1::Finding exact = Calls("f", "main");
  exact.set_exact(true);
  EXPECT_TRUE(Notes({exact}).empty());
}

TEST(NoteVaryingCounts, SaysEachSourceOnceTheOneOfMostTestsFirst) {
  const std::vector<std::string> notes =
      Notes({ByChance("rare", "//a"), ByChance("spin", "//a"), ByChance("spin", "//b")});
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0], HasSubstr("the calls of spin (in 2 tests), rare (in 1 test) differ"));
}

TEST(NoteVaryingCounts, SaysWhoAsksForWhatDiffers) {
  v1::Finding finding = ByChance("poll", "//a");
  finding.set_caller("wait");
  finding.set_caller_display("wait()");
  EXPECT_THAT(Notes({finding})[0], HasSubstr("The usual reasons are"));
  finding.add_varies_with("clock");
  finding.add_varies_with("process");
  EXPECT_THAT(Notes({finding})[0], HasSubstr("the calls of poll (in 1 test) differ"));
  EXPECT_THAT(Notes({finding})[0],
              EndsWith("; wait() calls poll and asks for the clock and the number of the process"));
  v1::Finding other = finding;
  other.set_caller("drain");
  other.set_caller_display("drain()");
  EXPECT_THAT(Notes({finding, other})[0], HasSubstr("; drain() and 1 more call poll and ask for"));
}

TEST(NoteVaryingCounts, NamesThreeAndCountsTheOthers) {
  std::vector<v1::Finding> findings;
  for (const char* name : {"a", "b", "c", "d", "e"}) findings.push_back(ByChance(name, "//t"));
  ASSERT_EQ(Notes(findings).size(), 1u);
  EXPECT_THAT(Notes(findings)[0], HasSubstr("of 2 more functions"));
}

TEST(NoteVaryingCounts, ACountThatRepeatedUntilNowIsNews) {
  v1::Finding flipped = ByChance("f", "//t");
  flipped.set_no_longer_exact(true);
  const std::vector<std::string> notes = Notes({flipped});
  ASSERT_EQ(notes.size(), 2u);
  EXPECT_THAT(notes[0], HasSubstr("f repeated from run to run until now"));
}

// Targets that all run `f`.
class Targets {
 public:
  // With a finding about f's calls whose cost is `cost` samples.
  v1::Finding& Add(const std::string& label, double samples, double cost) {
    const profile::ComputedProfile profile =
        ProfileBuilder().Function("f", samples).Arc("", "f", 1).Build();
    Kept& kept = kept_.emplace_back();
    kept.label = label;
    kept.matched = MatchTarget({&profile, 1}, {&profile, 1}, {});
    JudgedTarget target{&kept.label, &kept.matched, {samples, samples}, 100, &kept.findings};
    v1::Finding finding = Calls("f", "main");
    finding.set_impact(cost / target.totals.OfTiny());
    kept.findings.push_back(std::move(finding));
    targets_.push_back(target);
    return kept.findings.front();
  }

  void Judge() { JudgeTinyTargets(targets_, 0.005); }

 private:
  struct Kept {
    std::string label;
    MatchedTarget matched;
    std::vector<v1::Finding> findings;
  };
  std::deque<Kept> kept_;
  std::vector<JudgedTarget> targets_;
};

TEST(JudgeTinyTargets, AShareIsOfAllTestsThatRunTheFunction) {
  Targets targets;
  const v1::Finding& tiny = targets.Add("//a:tiny", 1, 0.5);
  targets.Add("//b:large", 999, 0);
  targets.Judge();
  EXPECT_NEAR(tiny.impact(), 0.5 / 1000, 1e-9);
  EXPECT_FALSE(tiny.material());
}

TEST(JudgeTinyTargets, TheSameChangeInManyTinyTestsAddsUp) {
  Targets targets;
  const v1::Finding& first = targets.Add("//a:t0", 10, 5);
  for (int i = 1; i < 20; ++i) targets.Add("//a:t" + std::to_string(i), 10, 5);
  targets.Judge();
  EXPECT_NEAR(first.impact(), 100.0 / 200, 1e-9);
  EXPECT_TRUE(first.material());
}

TEST(JudgeTinyTargets, LessThanAMillisecondNeverMatters) {
  Targets targets;
  const v1::Finding& finding = targets.Add("//a:tiny", 5, 0.09);  // at 100 samples a second
  targets.Judge();
  EXPECT_FALSE(finding.material());
  Targets more;
  const v1::Finding& larger = more.Add("//a:tiny", 5, 2);
  more.Judge();
  EXPECT_TRUE(larger.material());
}

TEST(JudgeTinyTargets, ATestWithEnoughSamplesKeepsItsOwnShare) {
  Targets targets;
  v1::Finding& large = targets.Add("//b:large", 999, 0);
  large.set_impact(0.25);
  targets.Judge();
  EXPECT_EQ(large.impact(), 0.25);
}

TEST(JudgeTinyTargets, WithoutAnySampleSharesOfCallsStay) {
  Targets targets;
  v1::Finding& finding = targets.Add("//a:tiny", 0, 0);
  finding.set_share_of_calls(0.5);
  finding.set_material(true);
  targets.Judge();
  EXPECT_EQ(finding.share_of_calls(), 0.5);
  EXPECT_TRUE(finding.material());
}

const v1::Finding* Calls(const v1::Report& report, const std::string& function,
                         const std::string& caller = "") {
  return Find(report, function, caller, v1::Finding::CALLS);
}

int RankOf(const v1::Report& report, const v1::Finding& finding) {
  int rank = 0;
  while (&report.findings(rank) != &finding) ++rank;
  return rank;
}

// main → parse → next → read, next called `per_parse` times per parse.
ProfileBuilder Parser(uint64_t parses, uint64_t per_parse) {
  ProfileBuilder builder;
  builder.Function("main").Function("parse", 20, 60).Function("next", 40, 20).Function("read", 20);
  builder.Arc("", "main", 1).Arc("main", "parse", parses, 12);
  builder.Arc("parse", "next", parses * per_parse, 34);
  builder.Arc("next", "read", parses * per_parse * 2, 56);
  return builder;
}

TEST(CompareSides, SaysNothingOfEqualCounts) {
  const v1::Report report = CompareTwo(Parser(10, 3).Build(), Parser(10, 3).Build());
  for (const v1::Finding& finding : report.findings()) {
    EXPECT_NE(finding.metric(), v1::Finding::CALLS) << finding.function();
    EXPECT_EQ(finding.verdict(), v1::Finding::CANNOT_TELL) << finding.function();
  }
}

TEST(CompareSides, BlamesTheArcThatChangedAndFoldsWhatFollows) {
  const v1::Report report = CompareTwo(Parser(10, 1).Build(), Parser(10, 8).Build());
  const v1::Finding& cause = report.findings(0);
  EXPECT_EQ(cause.function(), "next");
  EXPECT_EQ(cause.caller(), "parse");
  EXPECT_EQ(cause.metric(), v1::Finding::CALLS);
  EXPECT_EQ(cause.verdict(), v1::Finding::REGRESSED);
  EXPECT_TRUE(cause.one_run());
  EXPECT_EQ(cause.before(), 10);
  EXPECT_EQ(cause.after(), 80);
  EXPECT_EQ(cause.caller_calls_before(), 10);
  EXPECT_EQ(cause.caller_calls_after(), 10);
  EXPECT_DOUBLE_EQ(cause.effect_percent(), 700);
  EXPECT_GT(cause.test_effect().percent(), 0);
  EXPECT_EQ(cause.site().file(), "src/a.cc");
  EXPECT_EQ(cause.site().line(), 34u);
  ASSERT_EQ(cause.follows_size(), 1);
  EXPECT_EQ(cause.follows(0), "read");

  // The functions' own counts are listed, too, the side effect's after its cause.
  ASSERT_NE(Calls(report, "next"), nullptr);
  ASSERT_NE(Calls(report, "read"), nullptr);
  EXPECT_EQ(Calls(report, "read")->after(), 160);
  EXPECT_EQ(Calls(report, "read", "next"), nullptr) << "as often per call as before";
  EXPECT_LT(RankOf(report, *Calls(report, "next")), RankOf(report, *Calls(report, "read")));
}

TEST(CompareSides, FollowsACauseThroughSeveralFunctions) {
  const v1::Report report = CompareTwo(Parser(10, 3).Build(), Parser(20, 3).Build());
  EXPECT_EQ(report.findings(0).function(), "parse");
  EXPECT_EQ(report.findings(0).caller(), "main");
  EXPECT_EQ(report.findings(0).follows_size(), 2);
}

TEST(CompareSides, CallsFewerTimesIsAnImprovement) {
  const v1::Report report = CompareTwo(Parser(10, 8).Build(), Parser(10, 1).Build());
  EXPECT_EQ(report.findings(0).verdict(), v1::Finding::IMPROVED);
  EXPECT_DOUBLE_EQ(report.findings(0).effect_percent(), -87.5);
}

TEST(CompareSides, CountsAreComparedPerExecution) {
  ProfileBuilder three = Parser(30, 3);  // the sum of three executions
  three.Repetitions(3);
  ProfileBuilder once = Parser(10, 3);
  // main is called once per execution, which the sum of three does not have.
  const v1::Report report = CompareTwo(once.Build(), three.Build());
  EXPECT_EQ(Calls(report, "parse"), nullptr);
  EXPECT_EQ(Calls(report, "next"), nullptr);
}

TEST(CompareSides, ASumThatDidNotRepeatIsNotExact) {
  ProfileBuilder before, after;
  before.Repetitions(2).Function("f").Arc("", "f", 10);
  after.Repetitions(2).Function("f").Arc("", "f", 13);
  const v1::Report report = CompareTwo(before.Build(), after.Build());
  ASSERT_NE(Calls(report, "f"), nullptr);
  EXPECT_FALSE(Calls(report, "f")->exact());
  EXPECT_EQ(Calls(report, "f")->verdict(), v1::Finding::CANNOT_TELL);
}

TEST(CompareSides, ATestThatLooksSlowerIsUnconfirmedIfCodeChanged) {
  const auto total = [](double samples, uint32_t code, size_t runs = 1) {
    const auto profile = [](double samples_of_f, uint32_t code_of_g) {
      ProfileBuilder builder;
      builder.Function("f", samples_of_f).Code(7).Function("g").Code(code_of_g);
      return builder.Arc("", "f", 1).Arc("f", "g", 1).Build();
    };
    ComparisonSide base, head;
    base.targets[kTarget].assign(runs, profile(1000, 5));
    head.targets[kTarget].assign(runs, profile(samples, code));
    return CompareSides(base, head, CompareOptions()).totals(0);
  };
  EXPECT_EQ(total(1300, 6).verdict(), v1::Finding::CANNOT_TELL);
  EXPECT_TRUE(total(1300, 6).unconfirmed());
  EXPECT_FALSE(total(1300, 5).unconfirmed()) << "no code changed";
  EXPECT_FALSE(total(1100, 6).unconfirmed()) << "runs differ by that much";
  EXPECT_TRUE(total(1100, 6, 3).unconfirmed()) << "but not three by three";
  EXPECT_FALSE(total(1060, 6, 3).unconfirmed());
  EXPECT_FALSE(total(700, 6).unconfirmed());
}

TEST(CompareSides, NewAndVanishedFunctionsAreNamedAsSuch) {
  ProfileBuilder before, after;
  before.Function("main").Function("old").Arc("", "main", 1).Arc("main", "old", 5);
  after.Function("main").Function("young").Arc("", "main", 1).Arc("main", "young", 7);
  const v1::Report report = CompareTwo(before.Build(), after.Build());
  ASSERT_NE(Calls(report, "young"), nullptr);
  EXPECT_EQ(Calls(report, "young")->verdict(), v1::Finding::NEW);
  EXPECT_EQ(Calls(report, "young")->effect_percent(), 0);
  EXPECT_EQ(Calls(report, "young", "main")->verdict(), v1::Finding::NEW);
  ASSERT_NE(Calls(report, "old"), nullptr);
  EXPECT_EQ(Calls(report, "old")->verdict(), v1::Finding::VANISHED);
}

TEST(CompareSides, CallsThatComeFromElsewhereAreShifted) {
  ProfileBuilder before, after;
  for (ProfileBuilder* builder : {&before, &after}) {
    builder->Function("a").Function("b").Function("leaf").Arc("", "a", 1).Arc("", "b", 1);
  }
  before.Arc("a", "leaf", 10);
  after.Arc("a", "leaf", 4).Arc("b", "leaf", 6);
  const v1::Report report = CompareTwo(before.Build(), after.Build());
  EXPECT_EQ(Calls(report, "leaf"), nullptr);
  EXPECT_EQ(Calls(report, "leaf", "a")->verdict(), v1::Finding::SHIFTED);
  EXPECT_EQ(Calls(report, "leaf", "b")->verdict(), v1::Finding::SHIFTED);
}

TEST(CompareSides, MutualRecursionEnds) {
  const auto build = [](uint64_t from_main, uint64_t around) {
    ProfileBuilder builder;
    builder.Function("main").Function("ping").Function("pong").Arc("", "main", 1);
    builder.Arc("main", "ping", from_main).Arc("ping", "pong", around).Arc("pong", "ping", around);
    return builder.Build();
  };
  const v1::Report report = CompareTwo(build(1, 100), build(1, 200));
  EXPECT_NE(Calls(report, "ping"), nullptr);
  EXPECT_NE(Calls(report, "pong"), nullptr);
}

TEST(CompareSides, ARecursionThatGoesRoundMoreOftenBeganInItself) {
  const auto build = [](uint64_t recursive) {
    ProfileBuilder builder;
    builder.Function("main").Function("walk", 60, 40).Function("visit", 40).Arc("", "main", 1);
    builder.Arc("main", "walk", 5, 12).Arc("walk", "walk", recursive, 34);
    builder.Arc("walk", "visit", 5 + recursive, 35);
    return builder.Build();
  };
  const v1::Report report = CompareTwo(build(100), build(200));
  const v1::Finding& cause = report.findings(0);
  EXPECT_EQ(cause.function(), "walk");
  EXPECT_EQ(cause.caller(), "walk");
  EXPECT_EQ(cause.site().line(), 34u);
  ASSERT_EQ(cause.follows_size(), 1);
  EXPECT_EQ(cause.follows(0), "visit");
}

// ping and pong call each other; main calls ping.
TEST(CompareSides, ACycleThatChangedFromWithinHasACause) {
  const auto build = [](uint64_t pong, uint64_t ping) {
    ProfileBuilder builder;
    builder.Function("main").Function("ping", 50).Function("pong", 50).Arc("", "main", 1);
    builder.Arc("main", "ping", 10, 12).Arc("ping", "pong", pong, 34).Arc("pong", "ping", ping, 56);
    return builder.Build();
  };
  // Half of all calls of ping call pong, which calls it back: 0.5 → 0.6.
  const v1::Report report = CompareTwo(build(10, 10), build(15, 15));
  const v1::Finding& cause = report.findings(0);
  EXPECT_EQ(cause.function(), "pong");
  EXPECT_EQ(cause.caller(), "ping");
  EXPECT_EQ(cause.site().line(), 34u);
  ASSERT_EQ(cause.follows_size(), 1);
  EXPECT_EQ(cause.follows(0), "ping");
}

TEST(CompareSides, ACycleThatIsEnteredMoreOftenFollowsFromWhereItIsEntered) {
  const auto build = [](uint64_t times) {
    ProfileBuilder builder;
    builder.Function("main").Function("free", 10, 90).Function("node", 45).Function("list", 45);
    builder.Arc("", "main", 1).Arc("main", "free", times, 12).Arc("free", "list", times, 34);
    builder.Arc("list", "node", 900 * times, 56).Arc("node", "list", 900 * times, 78);
    return builder.Build();
  };
  const v1::Report report = CompareTwo(build(1), build(2));
  const v1::Finding& cause = report.findings(0);
  EXPECT_EQ(cause.function(), "free");
  EXPECT_EQ(cause.caller(), "main");
  EXPECT_EQ(cause.follows_size(), 2);
  EXPECT_NEAR(cause.impact(), 0.5, 0.02) << "all that follows, however often it goes round";
}

// Calls per call of a function depend on what it is called for.
TEST(CompareSides, ACauseRanksBeforeWhatMayHaveComeOfIt) {
  const auto build = [](uint64_t visits, uint64_t writes) {
    ProfileBuilder builder;
    builder.Function("main").Function("visit", 2, 98).Function("print", 4, 94);
    builder.Function("write", 94).Arc("", "main", 1).Arc("main", "visit", visits, 12);
    builder.Arc("visit", "print", visits, 34).Arc("print", "write", writes, 56);
    return builder.Build();
  };
  const v1::Report report = CompareTwo(build(100, 1000), build(200, 3600));
  EXPECT_EQ(report.findings(0).function(), "visit");
  EXPECT_EQ(report.findings(0).caller(), "main");
  ASSERT_NE(Calls(report, "write", "print"), nullptr);
  EXPECT_TRUE(Calls(report, "write", "print")->material());
}

TEST(CompareSides, WhatStandsForMoreCpuRanksHigher) {
  const auto build = [](uint64_t hot, uint64_t cold) {
    ProfileBuilder builder;
    builder.Function("main").Function("hot", 9000).Function("cold", 1).Arc("", "main", 1);
    builder.Arc("main", "hot", hot).Arc("main", "cold", cold);
    return builder.Build();
  };
  // The cold function's count grows a thousandfold, the hot one's by a tenth.
  const v1::Report report = CompareTwo(build(100, 1), build(110, 1000));
  EXPECT_EQ(report.findings(0).function(), "hot");
  EXPECT_GT(report.findings(0).impact(), 0.05);
}

TEST(CompareSides, TargetsOfOneSideOnlyAreNamedAndNotJudged) {
  ComparisonSide base, head;
  base.targets["//a"] = {Parser(1, 1).Build()};
  head.targets["//b"] = {Parser(1, 1).Build()};
  const v1::Report report = CompareSides(base, head, CompareOptions());
  EXPECT_EQ(report.findings_size(), 0);
  EXPECT_EQ(report.compared().new_targets(0), "//b");
  EXPECT_EQ(report.compared().vanished_targets(0), "//a");
}

TEST(CompareTargets, TargetsReadOneByOneGiveTheReportOfBothSides) {
  ComparisonSide base, head;
  std::vector<std::string> labels;
  for (int i = 0; i < 20; ++i) {
    labels.push_back("//t" + std::to_string(10 + i));
    if (i != 3) base.targets[labels.back()] = {Parser(10, 1).Build()};
    if (i != 7) head.targets[labels.back()] = {Parser(10, i % 3 == 0 ? 8 : 1).Build()};
  }
  base.window["//t10"] = {Parser(10, 1).Build(), Parser(10, 1).Build()};
  const auto of = [](const ComparisonSide& side, const std::string& label) {
    ComparisonSide one;
    if (side.targets.contains(label)) one.targets[label] = side.targets.at(label);
    if (side.window.contains(label)) one.window[label] = side.window.at(label);
    return one;
  };
  const auto report = CompareTargets(
      labels, {},
      [&](const std::string& label) -> absl::StatusOr<SidesOfTarget> {
        return SidesOfTarget{of(base, label), of(head, label)};
      },
      CompareOptions());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->DebugString(), CompareSides(base, head, CompareOptions()).DebugString());
  EXPECT_EQ(report->compared().new_targets(0), "//t13");
  EXPECT_EQ(report->compared().window_runs(), 2u);
}

TEST(CompareTargets, ATargetThatCannotBeReadEndsTheComparison) {
  const std::vector<std::string> labels(100, "//t");
  std::atomic<int> read = 0;
  const auto report = CompareTargets(
      labels, {},
      [&](const std::string&) -> absl::StatusOr<SidesOfTarget> {
        ++read;
        return absl::DataLossError("damaged");
      },
      CompareOptions());
  EXPECT_EQ(report.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_LE(read, 4) << "the others need not be read";
}

TEST(CompareSides, CountsThatVaryBetweenRunsAreNotExact) {
  const auto build = [](uint64_t calls) {
    ProfileBuilder builder;
    builder.Function("main").Function("hash", 100).Arc("", "main", 1).Arc("main", "hash", calls);
    return builder.Build();
  };
  ComparisonSide base, same, twice;
  for (const uint64_t calls : {1000, 1010, 990, 1005, 995}) {
    base.targets[kTarget].push_back(build(calls));
    same.targets[kTarget].push_back(build(calls + 4));
    twice.targets[kTarget].push_back(build(2 * calls));
  }
  const v1::Report unchanged = CompareSides(base, same, CompareOptions());
  for (const v1::Finding& finding : unchanged.findings()) {
    EXPECT_NE(finding.metric(), v1::Finding::CALLS) << finding.DebugString();
  }
  const v1::Report report = CompareSides(base, twice, CompareOptions());
  const v1::Finding& cause = report.findings(0);
  EXPECT_EQ(cause.function(), "hash");
  EXPECT_EQ(cause.verdict(), v1::Finding::REGRESSED);
  EXPECT_FALSE(cause.exact());
  EXPECT_GT(cause.interval_low_percent(), 90);
  EXPECT_LT(cause.interval_high_percent(), 110);
  ASSERT_EQ(report.warnings_size(), 1);
  EXPECT_NE(report.warnings(0).find("hashes of addresses"), std::string::npos);
}

TEST(CompareSides, ACountIsExactOnceItWasSeenToRepeat) {
  ComparisonSide base, head;
  base.targets[kTarget] = {Parser(10, 1).Build(), Parser(10, 1).Build()};
  head.targets[kTarget] = {Parser(10, 8).Build()};
  const v1::Report by_runs = CompareSides(base, head, CompareOptions());
  EXPECT_TRUE(Calls(by_runs, "next")->exact());
  EXPECT_FALSE(Calls(by_runs, "next")->one_run());
  EXPECT_EQ(by_runs.warnings_size(), 0);

  ProfileBuilder before = Parser(30, 1), after = Parser(30, 8);
  before.Repetitions(3).Arc("", "main", 2);
  after.Repetitions(3).Arc("", "main", 2);
  EXPECT_TRUE(Calls(CompareTwo(before.Build(), after.Build()), "next")->exact());
  after.Arc("main", "read", 1);  // not a multiple of the executions
  EXPECT_TRUE(Calls(CompareTwo(before.Build(), after.Build()), "next")->exact())
      << "the base's executions agree";
  before.Arc("main", "read", 1);
  EXPECT_TRUE(Calls(CompareTwo(before.Build(), after.Build()), "next")->one_run())
      << "a sum may be divisible by chance";
}

TEST(CompareSides, AChangeTooSmallToMatterIsNotMaterial) {
  const auto build = [](uint64_t small) {
    ProfileBuilder builder;
    builder.Function("main", 10000).Function("small", 10).Arc("", "main", 1);
    builder.Arc("main", "small", small).Function("big", 90000).Arc("main", "big", 100000);
    return builder.Build();
  };
  const v1::Report report = CompareTwo(build(100), build(101));
  ASSERT_NE(Calls(report, "small"), nullptr);
  EXPECT_EQ(Calls(report, "small")->verdict(), v1::Finding::REGRESSED) << "it is a fact";
  EXPECT_FALSE(Calls(report, "small")->material());
}

TEST(CompareSides, WithoutSamplesManyCallsRankBeforeFew) {
  const auto build = [](uint64_t few, uint64_t many) {
    ProfileBuilder builder;
    builder.Function("main").Function("few").Function("many").Arc("", "main", 1);
    builder.Arc("main", "few", few).Arc("main", "many", many);
    return builder.Build();
  };
  EXPECT_EQ(CompareTwo(build(1, 1000), build(5, 2000)).findings(0).function(), "many");
}

// A test's case and a library's parse, which both call f.
profile::ComputedProfile TestAndLibrary(uint64_t by_test, uint64_t by_library) {
  ProfileBuilder builder;
  builder.Function("main").Function("Case1", 100, 900, "db/query_test.cc", 20);
  builder.Function("parse", 100, 500, "db/parse.cc", 7).Function("f", 800, 0, "db/f.cc", 3);
  builder.Arc("", "main", 1).Arc("main", "Case1", 1, 30).Arc("Case1", "parse", 10, 22);
  builder.Arc("Case1", "f", by_test, 24).Arc("parse", "f", by_library, 9);
  return builder.Build();
}

TEST(CompareSides, WhatOnlyATestCallsMoreIsInTheTest) {
  const v1::Report report = CompareTwo(TestAndLibrary(100, 50), TestAndLibrary(400, 50));
  ASSERT_NE(Calls(report, "f", "Case1"), nullptr);
  EXPECT_TRUE(Calls(report, "f", "Case1")->in_test());
  ASSERT_NE(Calls(report, "f"), nullptr);
  EXPECT_EQ(Calls(report, "f")->verdict(), v1::Finding::REGRESSED);
  EXPECT_EQ(Calls(report, "f")->site().file(), "db/f.cc");
  EXPECT_TRUE(Calls(report, "f")->in_test()) << "no library changed";
}

TEST(CompareSides, WhatALibraryCallsMoreTooIsNot) {
  const v1::Report report = CompareTwo(TestAndLibrary(100, 50), TestAndLibrary(400, 90));
  EXPECT_TRUE(Calls(report, "f", "Case1")->in_test());
  EXPECT_FALSE(Calls(report, "f", "parse")->in_test());
  EXPECT_FALSE(Calls(report, "f")->in_test());
}

TEST(CompareSides, WithoutSamplesThereIsNoShareOfCpu) {
  const auto build = [](uint64_t calls, double samples) {
    ProfileBuilder builder;
    builder.Function("main", samples).Function("f").Function("g").Arc("", "main", 1);
    builder.Arc("main", "f", calls).Arc("main", "g", 59);
    return builder.Build();
  };
  const v1::Report report = CompareTwo(build(20, 0), build(40, 0));
  for (const v1::Finding* finding : {Calls(report, "f"), Calls(report, "f", "main")}) {
    ASSERT_NE(finding, nullptr);
    EXPECT_EQ(finding->impact(), 0);
    EXPECT_EQ(finding->weight(), 0);
    ASSERT_TRUE(finding->has_share_of_calls());
    EXPECT_NEAR(finding->share_of_calls(), 20. / 100, 1e-9);
    EXPECT_TRUE(finding->material());
  }
  for (const auto& [before, after] : {std::pair(0., 500.), std::pair(500., 0.)}) {
    const v1::Report sampled = CompareTwo(build(20, before), build(40, after));
    EXPECT_FALSE(Calls(sampled, "f")->has_share_of_calls());
    EXPECT_GT(Calls(sampled, "f")->impact(), 0);
    EXPECT_LT(Calls(sampled, "f")->impact(), 0.05) << "of 500 samples none is in f";
  }
}

TEST(CompareSides, NamesThatAreNotUtf8ArriveAsText) {
  const auto build = [](uint64_t calls, const std::string& moved) {
    ProfileBuilder builder;
    builder.Function("main", 10, 0, "m\xE9.cc").Function("caf\xE9", 50, 0, "caf\xE9.cc");
    builder.Function("below\xFF", 50, 0, "\xC0\x80").Function(moved, 70);
    builder.Arc("", "main", 1).Arc("main", "caf\xE9", calls).Arc("caf\xE9", "below\xFF", calls);
    builder.Arc("main", moved, 17).Size(40);
    profile::ComputedProfile profile = builder.Build();
    profile.warnings = {"image \xFE: cut off"};
    return profile;
  };
  const v1::Report report = CompareTwo(build(10, "old\xA0"), build(80, "new\xA0"));
  const v1::Finding* const arc = Calls(report, "caf<0xE9>", "main");
  ASSERT_NE(arc, nullptr);
  EXPECT_EQ(arc->function_display(), "caf<0xE9>");
  EXPECT_EQ(arc->site().file(), "m<0xE9>.cc");
  ASSERT_EQ(arc->follows_size(), 1);
  EXPECT_EQ(arc->follows(0), "below<0xFF>");
  v1::Report received;
  EXPECT_TRUE(received.ParseFromString(report.SerializeAsString())) << "as the server sends it";
}

}  // namespace

}  // namespace gprofhub::reporter
