#include "reporter/queries/baseline.h"

#include <gtest/gtest.h>

namespace gprofhub::reporter {
namespace {

store::RunRecord PullRequestRun() {
  store::RunRecord run;
  run.commit = "head";
  run.base_commit = "base";
  run.ancestors = {"one", "two", "three"};
  run.configuration = "k8-opt";
  return run;
}

store::RunRecord At(const std::string& commit) {
  store::RunRecord run;
  run.commit = commit;
  return run;
}

using Commits = std::vector<std::string>;

TEST(BaselineCommits, BeginWithTheMergeBase) {
  EXPECT_EQ(BaselineCommits(PullRequestRun()), (Commits{"base", "one", "two", "three"}));
}

TEST(BaselineCommits, NeverHoldTheRunsOwnCommit) {
  store::RunRecord run = PullRequestRun();
  run.base_commit = "head";
  run.ancestors = {"head", "one"};
  EXPECT_EQ(BaselineCommits(run), (Commits{"one"}));
}

TEST(BaselineCommits, NameEachCommitOnce) {
  store::RunRecord run = PullRequestRun();
  run.ancestors = {"base", "one", "one"};
  EXPECT_EQ(BaselineCommits(run), (Commits{"base", "one"}));
}

TEST(BaselineReason, SaysHowFarAway) {
  const store::RunRecord run = PullRequestRun();
  EXPECT_EQ(BaselineReason(run, "base"), "merge base");
  EXPECT_EQ(BaselineReason(run, "one"), "ancestor 1 commit before the merge base");
  EXPECT_EQ(BaselineReason(run, "three"), "ancestor 3 commits before the merge base");
}

TEST(BaselineReason, OnTheMainBranchCountsFromTheCommit) {
  store::RunRecord run = PullRequestRun();
  run.base_commit.clear();
  EXPECT_EQ(BaselineReason(run, "one"), "parent commit");
  EXPECT_EQ(BaselineReason(run, "two"), "ancestor 2 commits before");
}

TEST(DescribeBaseline, SaysWhyThereIsNone) {
  EXPECT_EQ(DescribeBaseline(PullRequestRun(), {}).reason,
            "none: no run of the main branch in configuration \"k8-opt\" at any of the 4 commits "
            "before this one");
  EXPECT_EQ(DescribeBaseline(At("head"), {}).reason,
            "none: the upload named neither a merge base nor ancestors (a shallow clone?)");
}

TEST(DescribeBaseline, TakesAllRunsOfTheNearestCommitAndTheOthersAsWindow) {
  const Baseline baseline = DescribeBaseline(PullRequestRun(), {At("two"), At("two"), At("three")});
  ASSERT_EQ(baseline.runs.size(), 2u);
  EXPECT_EQ(baseline.runs[0].commit, "two");
  EXPECT_EQ(baseline.reason, "ancestor 2 commits before the merge base");
  ASSERT_EQ(baseline.window.size(), 1u);
  EXPECT_EQ(baseline.window[0].commit, "three");
}

}  // namespace
}  // namespace gprofhub::reporter
