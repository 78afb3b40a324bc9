// Runs detected from each CI system's variables; git provides the rest.
#include "ci/upload/results/ci_systems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ci/upload/results/detect_run.h"
#include "ci/upload/testing/fake_sources.h"
#include "ci/upload/testing/test_files.h"

namespace gprofhub::ci {

namespace {

using testing::HasSubstr;

TEST(Git, AnswersComeWithoutTrailingWhiteSpace) {
  const std::string folder = MakeTestFolder("repository");
  const GitCommand git = GitIn(folder);
  ASSERT_TRUE(git({"init", "--quiet", "--initial-branch=trunk"}).ok());
  const auto branch = git({"symbolic-ref", "--short", "HEAD"});
  ASSERT_TRUE(branch.ok()) << branch.status();
  EXPECT_EQ(*branch, "trunk");
}

TEST(Git, ArgumentsReachGitAsTheyAre) {
  const std::string folder = MakeTestFolder("quoting");
  const GitCommand git = GitIn(folder);
  ASSERT_TRUE(git({"init", "--quiet"}).ok());
  const std::string odd = "a b; touch /tmp/x $(id) '\"";
  ASSERT_TRUE(git({"config", "test.value", odd}).ok());
  const auto value = git({"config", "test.value"});
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, odd);
}

TEST(Git, LongAnswersDoNotBlock) {
  const std::string folder = MakeTestFolder("long");
  const GitCommand git = GitIn(folder);
  ASSERT_TRUE(git({"init", "--quiet"}).ok());
  WriteTestFile(folder + "/large", std::string(300'000, 'x'));
  const auto hash = git({"hash-object", "-w", "large"});
  ASSERT_TRUE(hash.ok()) << hash.status();
  const auto text = git({"cat-file", "blob", *hash});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(text->size(), 300'000u);
}

TEST(Git, FailureCarriesGitsWords) {
  const auto answer = GitIn(MakeTestFolder("empty") + "/none")({"rev-parse", "HEAD"});
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(answer.status().message()), HasSubstr("git rev-parse: fatal:"));
}

// A repository with a merge of "side" into "trunk", both of one commit after the first.
std::string MergedRepository(const std::string& name) {
  const std::string folder = MakeTestFolder(name);
  const GitCommand git = GitIn(folder);
  const auto run = [&git](const std::vector<std::string>& words) {
    std::vector<std::string> all = {"-c", "user.name=a", "-c", "user.email=a@example"};
    all.insert(all.end(), words.begin(), words.end());
    EXPECT_TRUE(git(all).ok()) << git(all).status();
  };
  run({"init", "--quiet", "--initial-branch=trunk"});
  run({"commit", "--quiet", "--allow-empty", "-m", "one"});
  run({"checkout", "--quiet", "-b", "side"});
  run({"commit", "--quiet", "--allow-empty", "-m", "two"});
  run({"checkout", "--quiet", "trunk"});
  run({"merge", "--quiet", "--no-ff", "-m", "three", "side"});
  return folder;
}

TEST(Git, NoIsAnAnswerAndNotAFailure) {
  const GitCommand git = GitIn(MergedRepository("answers"));
  EXPECT_EQ(git({"rev-parse", "--verify", "--quiet", "nonsense"}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_EQ(git({"checkout", "--quiet", "--detach"}).status().code(), absl::StatusCode::kOk);
  EXPECT_EQ(git({"symbolic-ref", "--quiet", "HEAD"}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(git({"merge-base", "HEAD", Hash('1')}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(Git, FailureCarriesTheRemedy) {
  const std::string folder = MergedRepository("remedy");
  setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1", 1);
  setenv("LC_ALL", "de_DE.UTF-8", 1);
  const auto foreign = GitIn(folder)({"rev-parse", "--verify", "--quiet", "HEAD"});
  unsetenv("GIT_TEST_ASSUME_DIFFERENT_OWNER");
  unsetenv("LC_ALL");
  EXPECT_EQ(foreign.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(foreign.status().message()),
              HasSubstr("; run `git config --global --add safe.directory /"));

  const std::string path = getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  const auto missing = GitIn(folder)({"rev-parse", "HEAD"});
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr("install git"));
}

TEST(ReadCheckedOut, ShallowCloneKnowsTheParentsOfAMerge) {
  const std::string folder = MergedRepository("origin");
  const std::string clone = MakeTestFolder("clones");
  ASSERT_TRUE(GitIn(clone)({"clone", "--quiet", "--depth=1", "file://" + folder, "shallow"}).ok());
  const auto head = ReadCheckedOut(GitIn(clone + "/shallow"));
  ASSERT_TRUE(head.ok()) << head.status();
  ASSERT_EQ(head->parents.size(), 2u);
  EXPECT_EQ(head->OtherParent(head->parents[1]), head->parents[0]);
  EXPECT_EQ(head->OtherParent(head->parents[0]), head->parents[1]);
  EXPECT_EQ(head->OtherParent(head->commit), std::nullopt);
}

TEST(Git, WhatDoesNotEndIsEnded) {
  const auto answer = GitIn(MakeTestFolder("hangs"),
                            absl::Milliseconds(1))({"-c", "alias.hang=!sleep 100000", "hang"});
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kUnavailable) << answer.status();
}

TEST(WithoutCredentials, NothingButTheCredentialsGoes) {
  EXPECT_EQ(WithoutCredentials("https://u:p@host/a@b"), "https://host/a@b");
  EXPECT_EQ(WithoutCredentials("https://host/a"), "https://host/a");
  EXPECT_EQ(WithoutCredentials("fatal: 'https://t0ken@h/x' and ssh://git@h:22/y"),
            "fatal: 'https://h/x' and ssh://h:22/y");
  EXPECT_EQ(WithoutCredentials("https://u:p@ss@host/"), "https://host/");
  EXPECT_EQ(WithoutCredentials(""), "");
  EXPECT_EQ(WithoutCredentials("://"), "://");
}

using testing::IsEmpty;

struct Case {
  std::string name;
  Environment environment;
  std::map<std::string, std::string> files;
  std::string ci_system;
  std::string branch;
  std::string base_commit;
  std::string pull_request;
  std::string ci_link;
  bool from_fork = false;
};

void ExpectUnderstood(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto run = DetectRun({}, FakeSources(c.environment, Clone(), c.files));
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->ci_system, c.ci_system);
    EXPECT_EQ(run->info.commit(), Hash('a'));
    EXPECT_EQ(run->info.branch(), c.branch);
    EXPECT_EQ(run->info.base_commit(), c.base_commit);
    EXPECT_EQ(run->info.pull_request(), c.pull_request);
    EXPECT_EQ(run->info.ci_link(), c.ci_link);
    EXPECT_EQ(run->info.from_fork(), c.from_fork);
    EXPECT_EQ(run->info.commit_unix_ms(), 1'700'000'000'000);
    EXPECT_THAT(run->warnings, IsEmpty());
  }
}

std::vector<Case> OfGitHub() {
  std::vector<Case> cases;
  cases.push_back({"GitHub push to main",
                   {{"GITHUB_ACTIONS", "true"},
                    {"GITHUB_SHA", Hash('a')},
                    {"GITHUB_REF", "refs/heads/main"},
                    {"GITHUB_SERVER_URL", "https://github.example"},
                    {"GITHUB_REPOSITORY", "o/r"},
                    {"GITHUB_RUN_ID", "99"}},
                   {},
                   "GitHub Actions",
                   "main",
                   "",
                   "",
                   "https://github.example/o/r/actions/runs/99",
                   false});
  cases.push_back({"GitHub pull request",
                   GitHubPullRequest(),
                   {{"/event.json", GitHubEvent(R"({"id": 1})")}},
                   "GitHub Actions",
                   "feature",
                   Hash('b'),
                   "17",
                   "https://github.example/o/r/actions/runs/99",
                   false});
  cases.push_back({"GitHub pull request of a fork",
                   GitHubPullRequest(),
                   {{"/event.json", GitHubEvent(R"({"id": 2})")}},
                   "GitHub Actions",
                   "feature",
                   Hash('b'),
                   "17",
                   "https://github.example/o/r/actions/runs/99",
                   true});
  cases.push_back({"GitHub pull request of a deleted fork",
                   GitHubPullRequest(),
                   {{"/event.json", GitHubEvent("null")}},
                   "GitHub Actions",
                   "feature",
                   Hash('b'),
                   "17",
                   "https://github.example/o/r/actions/runs/99",
                   true});
  return cases;
}

std::vector<Case> OfGitLabMergeRequests() {
  std::vector<Case> cases;
  Environment merge_request = {{"GITLAB_CI", "true"},
                               {"CI_COMMIT_SHA", Hash('a')},
                               {"CI_MERGE_REQUEST_IID", "8"},
                               {"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "feature"},
                               {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"},
                               {"CI_MERGE_REQUEST_DIFF_BASE_SHA", Hash('d')},
                               {"CI_MERGE_REQUEST_PROJECT_ID", "1"},
                               {"CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "1"}};
  cases.push_back({"GitLab merge request",
                   merge_request,
                   {},
                   "GitLab CI",
                   "feature",
                   Hash('d'),
                   "8",
                   "",
                   false});
  merge_request["CI_MERGE_REQUEST_SOURCE_PROJECT_ID"] = "2";
  cases.push_back({"GitLab merge request of a fork",
                   merge_request,
                   {},
                   "GitLab CI",
                   "feature",
                   Hash('d'),
                   "8",
                   "",
                   true});
  merge_request["CI_COMMIT_SHA"] = Hash('e');
  merge_request["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"] = Hash('a');
  merge_request["CI_MERGE_REQUEST_TARGET_BRANCH_SHA"] = Hash('f');
  cases.push_back({"GitLab merged results",
                   merge_request,
                   {},
                   "GitLab CI",
                   "feature",
                   Hash('f'),
                   "8",
                   "",
                   true});
  return cases;
}

std::vector<Case> OfBuildkite() {
  std::vector<Case> cases;
  Environment buildkite = {{"BUILDKITE", "true"},
                           {"BUILDKITE_COMMIT", Hash('a')},
                           {"BUILDKITE_BRANCH", "feature"},
                           {"BUILDKITE_PULL_REQUEST", "21"},
                           {"BUILDKITE_PULL_REQUEST_BASE_BRANCH", "main"},
                           {"BUILDKITE_PULL_REQUEST_REPO", "git://github.example/o/r.git"},
                           {"BUILDKITE_REPO", "git@github.example:o/r.git"},
                           {"BUILDKITE_BUILD_URL", "https://buildkite.example/o/p/builds/3"}};
  cases.push_back({"Buildkite pull request",
                   buildkite,
                   {},
                   "Buildkite",
                   "feature",
                   Hash('b'),
                   "21",
                   "https://buildkite.example/o/p/builds/3",
                   false});
  buildkite["BUILDKITE_PULL_REQUEST_REPO"] = "git://github.example/someone/r.git";
  cases.push_back({"Buildkite pull request of a fork",
                   buildkite,
                   {},
                   "Buildkite",
                   "feature",
                   Hash('b'),
                   "21",
                   "https://buildkite.example/o/p/builds/3",
                   true});
  cases.push_back({"Buildkite build by hand",
                   {{"BUILDKITE", "true"},
                    {"BUILDKITE_COMMIT", "HEAD"},
                    {"BUILDKITE_BRANCH", "main"},
                    {"BUILDKITE_PULL_REQUEST", "false"},
                    {"BUILDKITE_PIPELINE_DEFAULT_BRANCH", "main"}},
                   {},
                   "Buildkite",
                   "main",
                   "",
                   "",
                   "",
                   false});
  return cases;
}

std::vector<Case> OfJenkins() {
  std::vector<Case> cases;
  cases.push_back({"Jenkins branch",
                   {{"JENKINS_URL", "https://jenkins.example/"},
                    {"GIT_COMMIT", Hash('a')},
                    {"GIT_BRANCH", "origin/main"},
                    {"BUILD_URL", "https://user:secret@jenkins.example/job/1/"}},
                   {},
                   "Jenkins",
                   "main",
                   "",
                   "",
                   "https://jenkins.example/job/1/",
                   false});
  cases.push_back({"Jenkins change of a fork",
                   {{"JENKINS_URL", "https://jenkins.example/"},
                    {"GIT_COMMIT", Hash('a')},
                    {"BRANCH_NAME", "PR-4"},
                    {"CHANGE_ID", "4"},
                    {"CHANGE_BRANCH", "feature"},
                    {"CHANGE_TARGET", "main"},
                    {"CHANGE_FORK", "someone"}},
                   {},
                   "Jenkins",
                   "feature",
                   Hash('b'),
                   "4",
                   "",
                   true});
  return cases;
}

TEST(ReadCiJob, APullRequestHasItsTitleAndAuthor) {
  struct Named {
    Environment environment;
    std::string title, author;
  };
  const std::string hostile = "\x1b" + std::string(501, 't');
  for (const Named& one :
       std::vector<Named>{{GitHubPullRequest(), "Read faster", "uthor"},
                          {{{"GITLAB_CI", "true"},
                            {"CI_MERGE_REQUEST_IID", "8"},
                            {"CI_MERGE_REQUEST_TITLE", "Read faster"}},
                           "Read faster",
                           ""},
                          {{{"GITLAB_CI", "true"}, {"CI_MERGE_REQUEST_TITLE", "of none"}}, "", ""},
                          {{{"JENKINS_URL", "https://jenkins.example/"},
                            {"CHANGE_ID", "4"},
                            {"CHANGE_TITLE", "Read\nfaster"},
                            {"CHANGE_AUTHOR", "uthor"}},
                           "Read<U+000A>faster",
                           "uthor"},
                          {{{"JENKINS_URL", "https://jenkins.example/"},
                            {"CHANGE_ID", "4"},
                            {"CHANGE_AUTHOR", "uthor"},
                            {"CHANGE_AUTHOR_DISPLAY_NAME", "A. Uthor"}},
                           "",
                           "A. Uthor"},
                          {{{"GERRIT_CHANGE_NUMBER", "12"},
                            {"GERRIT_CHANGE_SUBJECT", hostile},
                            {"GERRIT_CHANGE_OWNER_NAME", "A. Uthor"}},
                           "<U+001B>" + std::string(54, 't') + "…" + std::string(62, 't'),
                           "A. Uthor"}}) {
    const auto job = ReadCiJob(
        FakeSources(one.environment, Clone(), {{"/event.json", GitHubEvent(R"({"id": 1})")}}));
    ASSERT_TRUE(job.has_value());
    EXPECT_EQ(job->run.title(), one.title) << job->system;
    EXPECT_EQ(job->run.author(), one.author) << job->system;
  }
}

std::vector<Case> OfGerrit() {
  return {{"Gerrit change, built by Jenkins",
           {{"JENKINS_URL", "https://jenkins.example/"},
            {"BUILD_URL", "https://jenkins.example/job/1/"},
            {"GIT_COMMIT", Hash('d')},
            {"GERRIT_PATCHSET_REVISION", Hash('a')},
            {"GERRIT_BRANCH", "main"},
            {"GERRIT_CHANGE_NUMBER", "12"}},
           {},
           "Gerrit",
           "main",
           Hash('b'),
           "12",
           "https://jenkins.example/job/1/",
           false}};
}

TEST(ReadCiJob, WithoutACiSystemThereIsNoJob) {
  EXPECT_FALSE(ReadCiJob(FakeSources({}, Clone())).has_value());
  ExpectUnderstood({{"no CI, feature branch", {}, {}, "", "feature", Hash('b'), "", "", false}});
}

TEST(ReadCiJob, UnderstandsGitHubActions) { ExpectUnderstood(OfGitHub()); }

TEST(ReadCiJob, UnderstandsGitLabsBranches) {
  ExpectUnderstood({{"GitLab branch pipeline",
                     {{"GITLAB_CI", "true"},
                      {"CI_COMMIT_SHA", Hash('a')},
                      {"CI_COMMIT_BRANCH", "main"},
                      {"CI_DEFAULT_BRANCH", "main"},
                      {"CI_JOB_URL", "https://gitlab.example/o/r/-/jobs/5"}},
                     {},
                     "GitLab CI",
                     "main",
                     "",
                     "",
                     "https://gitlab.example/o/r/-/jobs/5",
                     false}});
}

TEST(ReadCiJob, UnderstandsGitLabsMergeRequests) { ExpectUnderstood(OfGitLabMergeRequests()); }

TEST(ReadCiJob, UnderstandsBuildkite) { ExpectUnderstood(OfBuildkite()); }

TEST(ReadCiJob, UnderstandsAzurePipelines) {
  Environment azure = {{"TF_BUILD", "True"},
                       {"BUILD_SOURCEVERSION", Hash('e')},
                       {"BUILD_SOURCEBRANCH", "refs/pull/17/merge"},
                       {"BUILD_BUILDID", "5"},
                       {"SYSTEM_COLLECTIONURI", "https://dev.azure.example/o/"},
                       {"SYSTEM_TEAMPROJECT", "p"},
                       {"SYSTEM_PULLREQUEST_PULLREQUESTID", "4711"},
                       {"SYSTEM_PULLREQUEST_PULLREQUESTNUMBER", "17"},
                       {"SYSTEM_PULLREQUEST_SOURCECOMMITID", Hash('a')},
                       {"SYSTEM_PULLREQUEST_SOURCEBRANCH", "refs/heads/feature"},
                       {"SYSTEM_PULLREQUEST_TARGETBRANCH", "main"},
                       {"SYSTEM_PULLREQUEST_ISFORK", "True"}};
  const std::string link = "https://dev.azure.example/o/p/_build/results?buildId=5";
  ExpectUnderstood({{"pull request of a fork",
                     azure,
                     {},
                     "Azure Pipelines",
                     "feature",
                     Hash('b'),
                     "17",
                     link,
                     true},
                    {"branch",
                     {{"TF_BUILD", "True"},
                      {"BUILD_SOURCEVERSION", Hash('a')},
                      {"BUILD_SOURCEBRANCH", "refs/heads/main"}},
                     {},
                     "Azure Pipelines",
                     "main",
                     "",
                     "",
                     "",
                     false}});
}

TEST(ReadCiJob, UnderstandsCircleCi) {
  Environment circle = {{"CIRCLECI", "true"},
                        {"CIRCLE_SHA1", Hash('a')},
                        {"CIRCLE_BRANCH", "main"},
                        {"CIRCLE_BUILD_URL", "https://circleci.example/1"}};
  ExpectUnderstood(
      {{"branch", circle, {}, "CircleCI", "main", "", "", "https://circleci.example/1", false}});
  circle["CIRCLE_BRANCH"] = "pull/17";
  circle["CIRCLE_PULL_REQUEST"] = "https://github.example/o/r/pull/17";
  circle["CIRCLE_PR_USERNAME"] = "someone";
  ExpectUnderstood({{"pull request of a fork",
                     circle,
                     {},
                     "CircleCI",
                     "pull/17",
                     Hash('b'),
                     "17",
                     "https://circleci.example/1",
                     true}});
}

TEST(ReadCiJob, UnderstandsJenkins) { ExpectUnderstood(OfJenkins()); }

TEST(ReadCiJob, UnderstandsGerrit) { ExpectUnderstood(OfGerrit()); }

TEST(IsCiVariable, ExcludesSecretsWithTheSamePrefix) {
  EXPECT_TRUE(IsCiVariable("GITHUB_SHA"));
  EXPECT_TRUE(IsCiVariable("BRANCH_NAME"));
  EXPECT_TRUE(IsCiVariable("JENKINS_URL"));
  EXPECT_FALSE(IsCiVariable("GITHUB_TOKEN"));
  EXPECT_FALSE(IsCiVariable(""));
}

TEST(ReadCiJob, UnreadableGitHubEventIsTreatedAsAFork) {
  for (const std::string text : {"", "{", "[]", "{}", R"({"pull_request": 3})"}) {
    GitAnswers merge = Clone();
    CheckOut(Hash('e'), {Hash('f'), Hash('a')}, merge);
    const auto run =
        DetectRun({}, FakeSources(GitHubPullRequest(), merge, {{"/event.json", text}}));
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_TRUE(run->info.from_fork()) << text;
    EXPECT_EQ(run->info.pull_request(), "17");
    EXPECT_FALSE(run->warnings.empty());
  }
}

}  // namespace

}  // namespace gprofhub::ci
