#include "reporter/comparison/machine_kinds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace gprofhub::reporter {
namespace {

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
