#include "base/merge_queue.h"

#include <gtest/gtest.h>

#include <string>

namespace gprofhub::base {

namespace {

const std::string kCommit(40, 'a');

TEST(IsPullRequestNumber, IsDigitsThatFitIntoANumber) {
  EXPECT_TRUE(IsPullRequestNumber("7"));
  EXPECT_TRUE(IsPullRequestNumber(std::string(18, '9')));
  for (const std::string& text : {std::string(), std::string(19, '9'), std::string("#7"),
                                  std::string("7 "), std::string("-7"), std::string("\xb2")}) {
    EXPECT_FALSE(IsPullRequestNumber(text)) << text;
  }
}

TEST(MergeQueueTest, ReadsGitHubsNames) {
  const auto group = ParseMergeQueueBranch("gh-readonly-queue/main/pr-17-" + kCommit);
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(group->pull_request, "17");
  EXPECT_EQ(group->target_branch, "main");
  EXPECT_EQ(group->base_commit, kCommit);
}

TEST(MergeQueueTest, ATargetBranchMayHaveSlashesAndLookLikeAGroup) {
  const auto group = ParseMergeQueueBranch("gh-readonly-queue/release/pr-1-x/pr-2-" + kCommit);
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(group->pull_request, "2");
  EXPECT_EQ(group->target_branch, "release/pr-1-x");
}

TEST(MergeQueueTest, ReadsGitLabsTrains) {
  const auto group = ParseMergeQueueBranch("refs/merge-requests/17/train");
  ASSERT_TRUE(group.has_value());
  EXPECT_EQ(group->pull_request, "17");
  EXPECT_EQ(group->target_branch, "");
}

TEST(MergeQueueTest, OtherBranchesAreNone) {
  for (const std::string& branch :
       {std::string(), std::string("main"), std::string("gh-readonly-queue/"),
        std::string("gh-readonly-queue/main"), "gh-readonly-queue/pr-17-" + kCommit,
        "gh-readonly-queue/main/pr-x-" + kCommit, std::string("gh-readonly-queue/main/pr-17"),
        std::string("gh-readonly-queue/main/pr-17-abc"), "x/gh-readonly-queue/main/pr-1-" + kCommit,
        std::string("refs/merge-requests/17/merge"), std::string("refs/merge-requests//train"),
        std::string("refs/merge-requests/1x/train")}) {
    EXPECT_FALSE(ParseMergeQueueBranch(branch).has_value()) << branch;
  }
}

}  // namespace

}  // namespace gprofhub::base
