#include "reporter/comparison/choose_reruns.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reporter/testing/memory_history.h"

namespace gprofhub::reporter {

namespace {

using Head = std::map<std::string, HeadRuns>;

// `runs` runs of a target, each of `seconds`.
HeadRuns Runs(size_t runs, double seconds) {
  profile::ComputedProfile profile;
  profile.sample_rate = 100;
  profile.total_samples = 100 * seconds;
  return HeadRunsOf(std::vector<profile::ComputedProfile>(runs, profile));
}

v1::Finding OneRun(const std::string& target, double impact) {
  v1::Finding finding = MakeFinding("parse", v1::Finding::CALLS, "", target);
  finding.set_verdict(v1::Finding::REGRESSED);
  finding.set_one_run(true);
  finding.set_material(true);
  finding.set_weight(impact);
  finding.set_impact(impact);
  return finding;
}

v1::Finding SlowPerhaps(const std::string& target, uint32_t more_runs, double weight) {
  v1::Finding finding = MakeFinding("scan", v1::Finding::SELF_TIME, "", target);
  finding.set_verdict(v1::Finding::CANNOT_TELL);
  finding.set_more_runs_needed(more_runs);
  finding.set_weight(weight);
  finding.set_interval_low_percent(-5);
  finding.set_interval_high_percent(20);
  return finding;
}

v1::Report ReportOf(const Head& head, const std::vector<v1::Finding>& findings) {
  v1::Report report;
  AddReruns(head, findings, report);
  return report;
}

TEST(AddReruns, AnAlarmOfOneRunAsksForOneMore) {
  Head head;
  head["//a:test"] = Runs(1, 2);
  const v1::Report report = ReportOf(head, {OneRun("//a:test", 0.1)});
  ASSERT_EQ(report.reruns_size(), 1);
  EXPECT_EQ(report.reruns(0).target(), "//a:test");
  EXPECT_EQ(report.reruns(0).runs(), 1u);
  EXPECT_EQ(report.reruns(0).expected_seconds(), 2);
  EXPECT_TRUE(report.reruns(0).alarms());
  EXPECT_EQ(report.reruns(0).reason(), "whether the calls of parse, which one run shows, repeat");
  EXPECT_EQ(report.compared().head_test_seconds(), 2);
}

TEST(AddReruns, ASecondRunOfTheHeadEndsIt) {
  Head head;
  head["//a:test"] = Runs(2, 2);
  EXPECT_EQ(ReportOf(head, {OneRun("//a:test", 0.1)}).reruns_size(), 0);
}

TEST(AddReruns, WhatDoesNotAlarmIsNotRunAgain) {
  Head head;
  head["//a:test"] = Runs(1, 2);
  std::vector<v1::Finding> quiet(5, OneRun("//a:test", 0.1));
  quiet[0].set_verdict(v1::Finding::IMPROVED);
  quiet[1].set_material(false);
  quiet[2].set_in_test(true);
  quiet[3].set_one_run(false);
  quiet[4].set_target("//only:base");
  EXPECT_EQ(ReportOf(head, quiet).reruns_size(), 0);
}

TEST(AddReruns, ATimeThatAFewRunsWouldShowIsRunAgain) {
  Head head;
  head["//a:test"] = Runs(1, 2);
  const v1::Report report = ReportOf(head, {SlowPerhaps("//a:test", 3, 0.2)});
  ASSERT_EQ(report.reruns_size(), 1);
  EXPECT_EQ(report.reruns(0).runs(), 3u);
  EXPECT_FALSE(report.reruns(0).alarms());
  // Too many runs, no runs, and too small a share of the test.
  EXPECT_EQ(ReportOf(head, {SlowPerhaps("//a:test", 4, 0.2), SlowPerhaps("//a:test", 0, 0.2),
                            SlowPerhaps("//a:test", 3, 0.02)})
                .reruns_size(),
            0);
}

v1::Finding Unconfirmed(const std::string& target, double share) {
  v1::Finding finding = OneRun(target, share);
  finding.set_verdict(v1::Finding::CANNOT_TELL);
  finding.set_unconfirmed(true);
  return finding;
}

TEST(AddReruns, AnUnconfirmedChangeIsRunOnceAndThenUpToFourTimes) {
  Head head;
  for (const auto& [runs, more] : {std::pair(1u, 1u), std::pair(2u, 2u), std::pair(3u, 1u)}) {
    head["//a:test"] = Runs(runs, 2);
    const v1::Report report = ReportOf(head, {Unconfirmed("//a:test", 0.1)});
    ASSERT_EQ(report.reruns_size(), 1) << runs;
    EXPECT_EQ(report.reruns(0).runs(), more) << runs;
    EXPECT_FALSE(report.reruns(0).alarms()) << runs;
  }
  head["//a:test"] = Runs(4, 2);
  EXPECT_EQ(ReportOf(head, {Unconfirmed("//a:test", 0.1)}).reruns_size(), 0);
}

TEST(AddReruns, UnconfirmedChangesThatDoNotMatterAreNotRun) {
  Head head;
  head["//a:test"] = Runs(1, 2);
  std::vector<v1::Finding> quiet(3, Unconfirmed("//a:test", 0.1));
  quiet[0].set_material(false);
  quiet[1].set_in_test(true);
  quiet[2].set_explained(true);
  EXPECT_EQ(ReportOf(head, quiet).reruns_size(), 0);
}

// The report with reruns, of one test with this total.
v1::Report WithTotal(v1::Finding::Verdict verdict, bool unconfirmed, size_t runs,
                     const std::vector<v1::Finding>& findings) {
  v1::Report report;
  v1::TargetTotal& total = *report.add_totals();
  total.set_target("//a:test");
  total.set_before(1);
  total.set_after(3);
  total.set_verdict(verdict);
  total.set_unconfirmed(unconfirmed);
  AddReruns({{"//a:test", Runs(runs, 2)}}, findings, report);
  return report;
}

TEST(AddReruns, ATestThatIsSlowerWithoutACauseIsRunUpToFourTimes) {
  const auto reruns = [](size_t runs, const std::vector<v1::Finding>& findings) {
    const v1::Report report = WithTotal(v1::Finding::REGRESSED, false, runs, findings);
    return report.reruns_size() == 0 ? 0 : report.reruns(0).runs();
  };
  EXPECT_EQ(reruns(1, {}), 3u);
  EXPECT_EQ(reruns(4, {}), 0u);
  v1::Finding cause = OneRun("//a:test", 0.5);
  cause.set_one_run(false);
  cause.set_before(1);
  cause.set_after(2);
  EXPECT_EQ(reruns(1, {cause}), 0u);
}

TEST(AddReruns, ATestThatOneRunShowsToBeSlowerIsRunOnceMoreUnlessThereIsACause) {
  const auto report_with = [](const std::vector<v1::Finding>& findings) {
    return WithTotal(v1::Finding::CANNOT_TELL, true, 1, findings);
  };
  const v1::Report alone = report_with({});
  ASSERT_EQ(alone.reruns_size(), 1);
  EXPECT_EQ(alone.reruns(0).runs(), 1u);
  EXPECT_EQ(alone.reruns(0).reason(), "whether the test is slower");
  EXPECT_TRUE(alone.totals(0).unconfirmed());
  v1::Finding cause = OneRun("//a:test", 0.5);
  cause.set_one_run(false);
  cause.set_before(1);
  cause.set_after(2);
  EXPECT_EQ(report_with({cause}).reruns_size(), 0);
  EXPECT_FALSE(report_with({cause}).totals(0).unconfirmed());
}

TEST(AddReruns, OneFunctionThatDiffersInManyTargetsIsRunInThree) {
  Head head;
  std::vector<v1::Finding> findings;
  for (const char* target : {"//a:test", "//b:test", "//c:test", "//d:test", "//e:test"}) {
    head[target] = Runs(1, 2);
    findings.push_back(Unconfirmed(target, target[2] == 'a' ? 0.1 : 0.2));
  }
  const v1::Report report = ReportOf(head, findings);
  ASSERT_EQ(report.reruns_size(), 3);
  for (const v1::Rerun& rerun : report.reruns()) EXPECT_NE(rerun.target(), "//a:test");
}

TEST(AddReruns, ATargetIsListedOnceWithItsAlarm) {
  Head head;
  head["//a:test"] = Runs(1, 2);
  const v1::Report report =
      ReportOf(head, {SlowPerhaps("//a:test", 3, 0.9), OneRun("//a:test", 0.01)});
  ASSERT_EQ(report.reruns_size(), 1);
  EXPECT_TRUE(report.reruns(0).alarms());
  EXPECT_EQ(report.reruns(0).runs(), 3u);
}

TEST(PlanReruns, TakesAlarmsFirstThenWhatIsCheapest) {
  Head head;
  head["//a:slow"] = Runs(1, 80);
  head["//b:slow"] = Runs(1, 15);
  head["//c:quick"] = Runs(1, 1);
  head["//d:alarm"] = Runs(1, 4);
  const v1::Report report =
      ReportOf(head, {SlowPerhaps("//a:slow", 1, 0.5), SlowPerhaps("//b:slow", 1, 0.5),
                      SlowPerhaps("//c:quick", 1, 0.5), OneRun("//d:alarm", 0.01)});
  ASSERT_EQ(report.reruns_size(), 4);
  EXPECT_EQ(report.reruns(0).target(), "//d:alarm");
  EXPECT_EQ(report.reruns(1).target(), "//c:quick");
  EXPECT_EQ(report.reruns(3).target(), "//a:slow");

  const RerunPlan within = PlanReruns(report, 5);
  EXPECT_EQ(within.budget_seconds, 5);
  ASSERT_EQ(within.chosen.size(), 2u);
  EXPECT_EQ(within.chosen[1].target(), "//c:quick");
  ASSERT_EQ(within.left_out.size(), 2u);
  EXPECT_EQ(within.left_out[0].target(), "//b:slow");
  EXPECT_EQ(PlanReruns(report, 0).chosen.size(), 4u);
}

constexpr char kTarget[] = "//a:test";

profile::ComputedProfile Sampled() {
  profile::ComputedProfile profile;
  profile.dimension = "seconds";
  profile.sample_rate = 100;
  return profile;
}

// Two runs, then two older ones, on these kinds of machines.
ComparisonSide Base(const char* first, const char* second, const char* third, const char* fourth) {
  ComparisonSide base;
  base.targets[kTarget] = {Sampled(), Sampled()};
  base.window[kTarget] = {Sampled(), Sampled()};
  for (const char* machine : {first, second, third, fourth}) {
    base.origins[kTarget].push_back({"c", "", machine});
  }
  return base;
}

TEST(ComparableWindow, LeavesOutOtherMachinesAndWhatWasNotSampled) {
  ComparisonSide base = Base("new", "new", "old", "new");
  std::vector<profile::ComputedProfile> some, all, none;
  EXPECT_EQ(ComparableWindow(base, kTarget, "new", some).size(), 1u);
  const auto known = ComparableWindow(base, kTarget, "", all);
  EXPECT_EQ(known.size(), 2u) << "nothing is known";
  EXPECT_TRUE(all.empty()) << "nothing need be copied";
  base.window[kTarget][1].sample_rate = 0;
  EXPECT_TRUE(ComparableWindow(base, kTarget, "new", none).empty());
  EXPECT_TRUE(ComparableWindow(base, "//other", "new", none).empty());
}

TEST(ForgetOtherMachines, TakesOutTheirTimesAndCountsThem) {
  MatchedTarget matched;
  matched.runs_before = 2;
  FunctionPair& function = matched.functions.emplace_back();
  function.self_by_run = {1, 2, 3};
  function.child_by_run = {4, 5, 6};
  EXPECT_EQ(ForgetOtherMachines(Base("old", "new", "", ""), kTarget, "new", matched), 1u);
  EXPECT_TRUE(std::isnan(function.self_by_run[0]));
  EXPECT_TRUE(std::isnan(function.child_by_run[0]));
  EXPECT_EQ(function.self_by_run[1], 2);
  EXPECT_EQ(function.child_by_run[2], 6);
}

TEST(HistoryOf, NamesTheRunsOfBothInTheirOrder) {
  ComparisonSide base = Base("", "", "", "");
  base.origins[kTarget][2].commit = "older";
  const std::vector<CountedRun> runs = HistoryOf(base, kTarget);
  ASSERT_EQ(runs.size(), 4u);
  EXPECT_EQ(runs[2].commit, "older");
  EXPECT_EQ(runs[2].profile, &base.window[kTarget][0]);
  base.origins[kTarget].resize(1);
  EXPECT_EQ(HistoryOf(base, kTarget).size(), 1u) << "as far as they are known";
  EXPECT_TRUE(HistoryOf(base, "//other").empty());
}

TEST(NoteOtherMachines, SaysHowManyTargetsAndWhy) {
  v1::Report report;
  NoteOtherMachines(0, 0, report);
  EXPECT_EQ(report.warnings_size(), 0);
  report.mutable_compared()->mutable_base()->set_machine("old");
  report.mutable_compared()->mutable_head()->set_machine("new");
  NoteOtherMachines(2, 1, report);
  EXPECT_EQ(report.warnings(0),
            "the base ran on another kind of machine (old) than the head (new): times of 1 target "
            "are compared with those of older runs on the head's kind; times of 2 targets are not "
            "compared");
}

}  // namespace

}  // namespace gprofhub::reporter
