#include "reporter/forge/github.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "reporter/testing/fake_forge.h"

namespace gprofhub::reporter {

namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

Check MakeCheck(size_t annotations, const std::string& key = "k1") {
  Check check;
  check.conclusion = Check::Conclusion::kFailure;
  check.title = "2 changes fail the check";
  check.summary = "the summary";
  check.key = key;
  for (size_t i = 0; i < annotations; ++i) {
    check.annotations.push_back({"src/json.c", static_cast<uint32_t>(i + 1), "t", "m"});
  }
  return check;
}

TEST(GitHubTest, ACheckRunTakesFiftyAnnotationsARequest) {
  const auto github = MakeFakeGitHub(/*app=*/true);
  const auto forge = github->Client();
  const PullRequest pull_request = *forge->ReadPullRequest("17");
  Refusals refusals;
  const absl::Status status = forge->PublishCheck(pull_request, MakeCheck(70), refusals).status();
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_THAT(github->checks, SizeIs(1));
  const auto& run = github->checks[0];
  EXPECT_EQ(run["head_sha"], FakeForge::kHead);
  EXPECT_EQ(run["conclusion"], "failure");
  EXPECT_EQ(run["status"], "completed");
  ASSERT_EQ(run["annotations"].size(), 70u);
  EXPECT_EQ(run["annotations"][69]["start_line"], 70);
  EXPECT_EQ(run["annotations"][69]["path"], "src/json.c");
}

TEST(GitHubTest, TheSameResultIsPublishedOnce) {
  const auto github = MakeFakeGitHub(/*app=*/true);
  const auto forge = github->Client();
  const PullRequest pull_request = *forge->ReadPullRequest("17");
  Refusals refusals;
  ASSERT_TRUE(forge->PublishCheck(pull_request, MakeCheck(60), refusals).ok());
  ASSERT_TRUE(forge->PublishCheck(pull_request, MakeCheck(60), refusals).ok());
  ASSERT_THAT(github->checks, SizeIs(1));
  EXPECT_EQ(github->checks[0]["annotations"].size(), 60u);
  ASSERT_TRUE(forge->PublishCheck(pull_request, MakeCheck(0, "k2"), refusals).ok());
  EXPECT_THAT(github->checks, SizeIs(2));
}

TEST(GitHubTest, AnOlderResultThatHoldsAgainIsTheNewestAgain) {
  const auto github = MakeFakeGitHub(/*app=*/true);
  const auto forge = github->Client();
  const PullRequest pull_request = *forge->ReadPullRequest("17");
  Refusals refusals;
  for (const char* key : {"k1", "k2", "k1"}) {
    ASSERT_TRUE(forge->PublishCheck(pull_request, MakeCheck(1, key), refusals).ok());
  }
  ASSERT_THAT(github->checks, SizeIs(3));
  EXPECT_EQ(github->checks[2]["external_id"], "k1");
}

TEST(GitHubTest, ARuleThatRestrictsUpdatesLeavesAdministrators) {
  const auto github = MakeFakeGitHub(/*app=*/true);
  github->writers = {"maintainer"};
  github->administrators = {"owner"};
  github->rules["release/1"] = {"deletion", "pull_request", "update"};  // two pages
  const auto forge = github->Client();
  PullRequest pull_request = *forge->ReadPullRequest("17");
  EXPECT_TRUE(*forge->MayWrite("maintainer", pull_request));
  pull_request.target_branch = "release/1";
  EXPECT_FALSE(*forge->MayWrite("maintainer", pull_request));
  EXPECT_TRUE(*forge->MayWrite("owner", pull_request));
}

TEST(GitHubTest, RulesThatCannotBeReadGrantNothing) {
  const auto github = MakeFakeGitHub(/*app=*/true);
  github->writers = {"maintainer"};
  int status = 403;
  github->hook = [&status](const std::string& request) {
    Trouble trouble;
    if (absl::StrContains(request, "/rules/branches/")) trouble.status = status;
    return trouble;
  };
  const auto forge = github->Client();
  const PullRequest pull_request = *forge->ReadPullRequest("17");
  EXPECT_FALSE(forge->MayWrite("maintainer", pull_request).ok());
  status = 404;  // an older GitHub Enterprise Server
  EXPECT_TRUE(*forge->MayWrite("maintainer", pull_request));
}

TEST(GitHubTest, ACheckRunThatWasCutOffIsFinished) {
  const auto github = MakeFakeGitHub(/*app=*/true);
  const auto forge = github->Client();
  const PullRequest pull_request = *forge->ReadPullRequest("17");
  Refusals refusals;
  github->hook = [](const std::string& request) {
    return Trouble{request.rfind("PATCH", 0) == 0 ? 500 : 0, {}, false};
  };
  EXPECT_TRUE(
      absl::IsUnavailable(forge->PublishCheck(pull_request, MakeCheck(70), refusals).status()));
  EXPECT_EQ(github->checks[0]["annotations"].size(), 50u);
  github->hook = nullptr;
  ASSERT_TRUE(forge->PublishCheck(pull_request, MakeCheck(70), refusals).ok());
  ASSERT_THAT(github->checks, SizeIs(1));
  EXPECT_EQ(github->checks[0]["annotations"].size(), 70u);
}

TEST(GitHubTest, WithATokenTheResultIsACommitStatus) {
  const auto github = MakeFakeGitHub(/*app=*/false);
  const auto forge = github->Client();
  Refusals refusals;
  Check check = MakeCheck(3);
  check.title = std::string(300, 'x');
  const absl::Status status =
      forge->PublishCheck(*forge->ReadPullRequest("17"), check, refusals).status();
  ASSERT_TRUE(status.ok()) << status;
  ASSERT_THAT(github->checks, SizeIs(1));
  EXPECT_EQ(github->checks[0]["sha"], FakeForge::kHead);
  EXPECT_EQ(github->checks[0]["state"], "failure");
  EXPECT_EQ(github->checks[0]["context"], "gprofhub");
}

TEST(GitHubTest, PullRequestsOfOneHeadForOtherTargetsHaveChecksOfTheirOwn) {
  for (const bool app : {false, true}) {
    const auto github = MakeFakeGitHub(app);
    const auto forge = github->Client();
    Refusals refusals;
    std::vector<std::string> names;
    for (const char* target : {"main", "release/1.2", "main", "v2"}) {
      github->target_branch = target;
      ASSERT_TRUE(forge->PublishCheck(*forge->ReadPullRequest("17"), MakeCheck(1), refusals).ok());
    }
    for (const auto& check : github->checks) names.push_back(check[app ? "name" : "context"]);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    EXPECT_THAT(names, ElementsAre("gprofhub", "gprofhub (release/1.2)", "gprofhub (v2)"));
    if (app) {
      EXPECT_THAT(github->checks, SizeIs(3)) << "the same result is not published again";
    }
  }
}

TEST(GitHubTest, RefusedAnnotationsDoNotStopTheCheckRun) {
  const auto github = MakeFakeGitHub(/*app=*/true);
  const auto forge = github->Client();
  const PullRequest pull_request = *forge->ReadPullRequest("17");
  int posts = 0;
  github->hook = [&posts](const std::string& request) {
    const bool refused =
        request == "POST /repos/acme/db/check-runs" ? posts++ == 0 : request.rfind("PATCH", 0) == 0;
    return Trouble{refused ? 422 : 0, {}, false};
  };
  for (int i = 0; i < 2; ++i) {
    Refusals refusals;
    const auto published = forge->PublishCheck(pull_request, MakeCheck(3), refusals);
    ASSERT_TRUE(published.ok()) << published.status();
    EXPECT_TRUE(*published);
    ASSERT_THAT(refusals.list(), SizeIs(1));
    EXPECT_EQ(refusals.list()[0].part, "annotations");
    ASSERT_THAT(github->checks, SizeIs(1));
  }
}

TEST(GitHubTest, AppsCommentUnderTheirOwnName) {
  const auto github = MakeFakeGitHub(/*app=*/true);
  const auto forge = github->Client();
  github->AddComment("gprofhub", "a person of that name");
  github->AddComment(FakeForge::kSelf, "mine");
  const auto comments = CommentsAt(*forge, *forge->ReadPullRequest("17"));
  ASSERT_TRUE(comments.ok()) << comments.status();
  ASSERT_THAT(*comments, SizeIs(2));
  EXPECT_FALSE((*comments)[0].own);
  EXPECT_TRUE((*comments)[1].own);
}

}  // namespace

}  // namespace gprofhub::reporter
