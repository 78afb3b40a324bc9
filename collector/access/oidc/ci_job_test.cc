// Claim names as in the providers' documentation (ci_job.h).
#include "collector/access/oidc/ci_job.h"

#include <gtest/gtest.h>

namespace gprofhub::collector {
namespace {

using Json = nlohmann::json;
using Kind = RunFacts::Kind;

Json GitHub(const char* event, const char* ref) {
  return {{"repository", "acme/db"}, {"event_name", event}, {"ref", ref}, {"run_id", "17"}};
}

TEST(GitHubJobTest, ABranchsJobSaysItsBranch) {
  for (const char* event : {"push", "schedule", "workflow_dispatch"}) {
    const auto job = ReadCiJob(CiSystem::kGitHub, GitHub(event, "refs/heads/release/2"));
    ASSERT_TRUE(job.ok()) << job.status();
    EXPECT_EQ(job->repository, "acme/db");
    EXPECT_EQ(job->run.kind, Kind::kBranch);
    EXPECT_EQ(job->run.branch, "release/2");
    EXPECT_EQ(job->trusted_branch, "release/2");
    EXPECT_FALSE(job->run.untrusted);
  }
  EXPECT_EQ(ReadCiJob(CiSystem::kGitHub, GitHub("push", "refs/tags/main"))->trusted_branch, "");
}

TEST(GitHubJobTest, APullRequestsJobSaysItsNumber) {
  Json claims = GitHub("pull_request", "refs/pull/17/merge");
  claims["head_ref"] = "feature";
  const auto job = ReadCiJob(CiSystem::kGitHub, claims);
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->run.kind, Kind::kPullRequest);
  EXPECT_EQ(job->run.pull_request, "17");
  EXPECT_EQ(job->run.branch, "feature");
  EXPECT_EQ(job->trusted_branch, "");
  for (const char* ref : {"refs/heads/main", "refs/pull//merge", "refs/pull/x/merge", ""}) {
    EXPECT_TRUE(
        absl::IsUnauthenticated(ReadCiJob(CiSystem::kGitHub, GitHub("pull_request", ref)).status()))
        << ref;
  }
}

TEST(GitHubJobTest, JobsInTheMainBranchsNameMayRunAStrangersCode) {
  for (const char* event : {"pull_request_target", "workflow_run", "issue_comment", "merge_group",
                            "an event to come"}) {
    const auto job = ReadCiJob(CiSystem::kGitHub, GitHub(event, "refs/heads/main"));
    ASSERT_TRUE(job.ok()) << job.status();
    EXPECT_TRUE(job->run.untrusted) << event;
    EXPECT_EQ(job->trusted_branch, "") << event;
  }
}

Json GitLab(const char* source, const char* ref, const char* is_protected) {
  return {{"project_path", "acme/db"}, {"pipeline_source", source},     {"ref", ref},
          {"ref_type", "branch"},      {"ref_protected", is_protected}, {"pipeline_id", "17"}};
}

TEST(GitLabJobTest, AProtectedBranchsJobIsTrusted) {
  const auto job = ReadCiJob(CiSystem::kGitLab, GitLab("push", "main", "true"));
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->repository, "acme/db");
  EXPECT_EQ(job->run.kind, Kind::kBranch);
  EXPECT_EQ(job->run.branch, "main");
  EXPECT_EQ(job->trusted_branch, "main");
  EXPECT_EQ(ReadCiJob(CiSystem::kGitLab, GitLab("push", "main", "false"))->trusted_branch, "");
  Json tag = GitLab("push", "main", "true");
  tag["ref_type"] = "tag";
  EXPECT_EQ(ReadCiJob(CiSystem::kGitLab, tag)->trusted_branch, "");
}

TEST(GitLabJobTest, AMergeRequestsJobIsNoBranchs) {
  for (const char* source : {"merge_request_event", "external_pull_request_event"}) {
    const auto job = ReadCiJob(CiSystem::kGitLab, GitLab(source, "main", "true"));
    ASSERT_TRUE(job.ok()) << job.status();
    EXPECT_EQ(job->run.kind, Kind::kPullRequest) << source;
    EXPECT_EQ(job->run.pull_request, "");
    EXPECT_EQ(job->trusted_branch, "") << "a fork's branch may be called main";
  }
  EXPECT_EQ(ReadCiJob(CiSystem::kGitLab, GitLab("parent_pipeline", "main", "true"))->trusted_branch,
            "");
}

TEST(BuildkiteJobTest, SaysItsBranch) {
  Json claims = {{"organization_slug", "acme"},
                 {"pipeline_slug", "db"},
                 {"build_branch", "main"},
                 {"build_number", 17}};
  const auto job = ReadCiJob(CiSystem::kBuildkite, claims);
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->repository, "acme/db");
  EXPECT_EQ(job->name, "buildkite acme/db main build 17");
  EXPECT_EQ(job->run.kind, Kind::kUnknown);
  EXPECT_EQ(job->run.branch, "main");
  EXPECT_EQ(job->trusted_branch, "main");
  claims["build_tag"] = "v1";
  EXPECT_EQ(ReadCiJob(CiSystem::kBuildkite, claims)->trusted_branch, "");
}

TEST(CiJobTest, WhatMustBeThereIs) {
  for (const CiSystem system : {CiSystem::kGitHub, CiSystem::kGitLab, CiSystem::kBuildkite}) {
    EXPECT_TRUE(absl::IsUnauthenticated(ReadCiJob(system, Json::object()).status()));
  }
  Json odd = GitHub("push", "refs/heads/main");
  odd["repository"] = Json::array({"acme/db"});
  EXPECT_TRUE(absl::IsUnauthenticated(ReadCiJob(CiSystem::kGitHub, odd).status()));
}

}  // namespace
}  // namespace gprofhub::collector
