#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "reporter/forge/forge.h"
#include "reporter/testing/fake_forge.h"

namespace gprofhub::reporter {

namespace {

using ::testing::HasSubstr;

class StartAgainTest : public testing::TestWithParam<std::unique_ptr<FakeForge> (*)()> {
 protected:
  StartAgainTest() {
    for (const char* name : {"build", "lint", "profiles"}) fake_->AddJob(name);
    pull_request_ = *forge_->ReadPullRequest("17");
  }

  FakeJob& Profiles() { return fake_->jobs[2]; }
  absl::StatusOr<std::string> Start(const std::string& link, const std::string& job = "profiles") {
    return forge_->StartAgain(pull_request_, link, job);
  }
  absl::StatusOr<std::string> Start() { return Start(fake_->LinkOf(Profiles())); }

  const std::unique_ptr<FakeForge> fake_ = GetParam()();
  const std::unique_ptr<Forge> forge_ = fake_->Client();
  PullRequest pull_request_;
};

TEST_P(StartAgainTest, StartsTheJobOfThatNameAndNoOther) {
  const auto started = Start();
  ASSERT_TRUE(started.ok()) << started.status();
  EXPECT_THAT(*started, HasSubstr("https://"));
  EXPECT_EQ(Profiles().starts, 1);
  EXPECT_EQ(fake_->jobs[0].starts + fake_->jobs[1].starts, 0);
}

TEST_P(StartAgainTest, WaitsForAJobThatHasNotEnded) {
  Profiles().ended = false;
  EXPECT_EQ(Start().status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Profiles().starts, 0);
}

TEST_P(StartAgainTest, AnUploadCannotHaveAnotherCommitsJobStarted) {
  for (FakeJob& job : fake_->jobs) job.commit = std::string(40, '9');
  const absl::Status status = Start().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("another commit"));
  EXPECT_EQ(Profiles().starts, 0);
}

TEST_P(StartAgainTest, AnUploadCannotHaveAnotherJobStarted) {
  EXPECT_EQ(Start(fake_->LinkOf(fake_->jobs[0]), "deploy").status().code(),
            absl::StatusCode::kFailedPrecondition);
  for (const FakeJob& job : fake_->jobs) EXPECT_EQ(job.starts, 0);
}

TEST_P(StartAgainTest, ALinkThatIsNoneOfTheForgesNeverReachesIt) {
  fake_->requests.clear();
  for (const char* link : {"", "https://ci.example/build/5", "https://x/actions/runs/../../9",
                           "https://x/-/jobs/", "https://x/-/jobs/1x"}) {
    EXPECT_EQ(Start(link).status().code(), absl::StatusCode::kFailedPrecondition) << link;
  }
  EXPECT_TRUE(fake_->requests.empty());
}

TEST_P(StartAgainTest, ATokenWithoutTheRightSaysSo) {
  fake_->hook = [](const std::string& request) {
    return absl::StrContains(request, "/rerun") || absl::StrContains(request, "/retry")
               ? Trouble{403, {}, false}
               : Trouble{};
  };
  EXPECT_EQ(Start().status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Profiles().starts, 0);
}

TEST(GitHubTest, AnAppThatMayNotStartJobsNamesThePermission) {
  const auto github = MakeFakeGitHub(/*app=*/true);
  const FakeJob& job = github->AddJob("profiles");
  const std::string link = github->LinkOf(job);
  const std::pair<const char*, const char*> cases[] = {
      {"", "needs actions=read"}, {"read", "needs actions=write"}, {"write", ""}};
  for (const auto& [granted, missing] : cases) {
    github->app_permissions.erase("actions");
    if (*granted != '\0') github->app_permissions["actions"] = granted;
    const auto forge = github->Client();
    const absl::Status status =
        forge->StartAgain(*forge->ReadPullRequest("17"), link, "profiles").status();
    EXPECT_EQ(status.ok(), *missing == '\0') << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(missing));
  }
}

INSTANTIATE_TEST_SUITE_P(GitHub, StartAgainTest,
                         testing::Values(
                             +[] { return MakeFakeGitHub(/*app=*/true); },
                             +[] { return MakeFakeGitHub(/*app=*/false); }));
INSTANTIATE_TEST_SUITE_P(GitLab, StartAgainTest, testing::Values(&MakeFakeGitLab));

TEST(GerritTest, StartsNoJobs) {
  EXPECT_EQ(MakeFakeGerrit()->Client()->StartAgain({}, "https://ci/5", "x").status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace

}  // namespace gprofhub::reporter
