#include "reporter/forge/gitlab.h"

#include <gmock/gmock.h>

#include "reporter/testing/fake_forge.h"

namespace gprofhub::reporter {

namespace {

using ::testing::SizeIs;

TEST(GitLabTest, AStateThatTheCommitHasAlreadyIsNoError) {
  const auto gitlab = MakeFakeGitLab();
  const auto forge = gitlab->Client();
  const PullRequest merge_request = *forge->ReadPullRequest("17");
  Refusals refusals;
  Check check;
  check.conclusion = Check::Conclusion::kFailure;
  for (int i = 0; i < 2; ++i) {
    const absl::Status status = forge->PublishCheck(merge_request, check, refusals).status();
    EXPECT_TRUE(status.ok()) << status;
  }
  ASSERT_THAT(gitlab->checks, SizeIs(1));
  EXPECT_EQ(gitlab->checks[0]["state"], "failed");
  check.conclusion = Check::Conclusion::kNeutral;
  ASSERT_TRUE(forge->PublishCheck(merge_request, check, refusals).ok());
  EXPECT_EQ(gitlab->checks[1]["state"], "success");
}

TEST(GitLabTest, SystemNotesAreNobodysComments) {
  const auto gitlab = MakeFakeGitLab();
  const auto forge = gitlab->Client();
  const auto comments = CommentsAt(*forge, *forge->ReadPullRequest("17"));
  ASSERT_TRUE(comments.ok()) << comments.status();
  EXPECT_THAT(*comments, SizeIs(0));
}

}  // namespace

}  // namespace gprofhub::reporter
