#include "ci/upload/results/detect_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "ci/upload/testing/fake_sources.h"

namespace gprofhub::ci {

namespace {

TEST(MachineKind, IsTheModelAndTheNumberOfProcessors) {
  EXPECT_EQ(MachineKind("processor\t: 0\nmodel name\t: AMD EPYC 7763 64-Core Processor\n\n"
                        "processor\t: 1\nmodel name\t: AMD EPYC 7763 64-Core Processor\n"),
            "AMD EPYC 7763 64-Core Processor, 2 processors");
  EXPECT_EQ(MachineKind("processor\t: 0\nmodel name\t: X: 1\n"), "X: 1, 1 processor");
}

TEST(MachineKind, OfArmIsImplementerAndPart) {
  EXPECT_EQ(MachineKind("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"),
            "Arm implementer 0x41 part 0xd0c, 1 processor");
}

TEST(MachineKind, IsEmptyWhereNothingIsSaid) {
  EXPECT_EQ(MachineKind(""), "");
  EXPECT_EQ(MachineKind("processor : 0\n"), "");
  EXPECT_EQ(MachineKind("model name : alone\n"), "");
}

TEST(MachineKind, OfHostileTextIsShortAndPrintable) {
  const std::string kind =
      MachineKind("processor: 0\nmodel name: \x1b[31m" + std::string(10000, 'x') + "\n");
  EXPECT_LE(kind.size(), 200u);
  EXPECT_EQ(kind.find('\x1b'), std::string::npos);
}

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(DetectRun, NamesTheMachine) {
  const std::map<std::string, std::string> files = {
      {"/proc/cpuinfo", "processor: 0\nmodel name: Z80\n"}};
  RunFlags flags;
  EXPECT_EQ(DetectRun(flags, FakeSources({}, Clone(), files))->info.machine(), "Z80, 1 processor");
  EXPECT_EQ(DetectRun(flags, FakeSources({}, Clone()))->info.machine(), "");
  flags.info.set_machine("builders");
  EXPECT_EQ(DetectRun(flags, FakeSources({}, Clone(), files))->info.machine(), "builders");
}

TEST(DetectRun, FlagsWinOverCiAndGit) {
  RunFlags flags;
  flags.info.set_project("p");
  flags.info.set_run_key("k");
  flags.info.set_commit(Hash('1'));
  flags.info.set_branch("mine");
  flags.info.set_base_commit(Hash('2'));
  flags.info.set_pull_request("5");
  flags.info.set_title("Mine");
  flags.info.set_ci_link("https://u:p@ci.example/1");
  flags.info.set_configuration("k8-opt");
  flags.info.set_from_fork(true);
  const auto run = DetectRun(flags, FakeSources(GitHubPullRequest(), Clone(),
                                                {{"/event.json", GitHubEvent(R"({"id": 1})")}}));
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->info.project(), "p");
  EXPECT_EQ(run->info.run_key(), "k");
  EXPECT_EQ(run->info.commit(), Hash('1'));
  EXPECT_EQ(run->info.branch(), "mine");
  EXPECT_EQ(run->info.base_commit(), Hash('2'));
  EXPECT_EQ(run->info.pull_request(), "5");
  EXPECT_EQ(run->info.title(), "Mine");
  EXPECT_EQ(run->info.author(), "") << "the CI system's is of another pull request";
  EXPECT_EQ(run->info.ci_link(), "https://ci.example/1");
  EXPECT_EQ(run->info.configuration(), "k8-opt");
  EXPECT_TRUE(run->info.from_fork());
}

TEST(DetectRun, GitNamesTheSubjectAndTheAuthorOfTheCommit) {
  GitAnswers answers = Clone();
  const auto run = DetectRun({}, FakeSources({}, answers));
  EXPECT_EQ(run->info.commit_subject(), "Parse each word once");
  EXPECT_EQ(run->info.author(), "A. Uthor");
  std::string& message = answers["show --no-patch --format=%ct%n%an%n%s " + Hash('a') + " --"];
  message = "1700000000\n\n\x1b" + std::string(2000, 'x') + "\xE9";
  const auto hostile = DetectRun({}, FakeSources({}, answers));
  EXPECT_EQ(hostile->info.author(), "");
  EXPECT_THAT(hostile->info.commit_subject(), testing::StartsWith("<U+001B>x"));
  EXPECT_THAT(hostile->info.commit_subject(), testing::EndsWith("x<0xE9>"));
  EXPECT_LE(hostile->info.commit_subject().size(), 500u);
  message = "1700000000";
  EXPECT_EQ(DetectRun({}, FakeSources({}, answers))->info.commit_subject(), "");
}

TEST(DetectRun, FlagsSufficeWithoutGitAndCi) {
  RunFlags flags;
  flags.info.set_commit(Hash('1'));
  const auto run = DetectRun(flags, FakeSources({}, {}));
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->info.commit(), Hash('1'));
  EXPECT_EQ(run->info.base_commit(), "");
  EXPECT_EQ(run->info.commit_unix_ms(), 0);
}

TEST(DetectRun, MissingBranchIsExplained) {
  RunFlags flags;
  flags.info.set_commit(Hash('1'));
  const auto unknown = DetectRun(flags, FakeSources({}, {}));
  ASSERT_TRUE(unknown.ok()) << unknown.status();
  EXPECT_THAT(unknown->warnings, testing::Contains(HasSubstr("pass --branch")));
  flags.info.set_branch("main");
  const auto known = DetectRun(flags, FakeSources({}, {}));
  ASSERT_TRUE(known.ok()) << known.status();
  EXPECT_THAT(known->warnings, testing::Not(testing::Contains(HasSubstr("--branch"))));
}

TEST(DetectRun, AncestorsBeginAtTheBaseAndLeaveOutTheCommitItself) {
  const auto change = DetectRun({}, FakeSources({}, Clone()));
  ASSERT_TRUE(change.ok());
  EXPECT_THAT(change->info.ancestors(), ElementsAre(Hash('b'), Hash('c')));
  RunFlags flags;
  flags.info.set_branch("main");
  const auto main = DetectRun(flags, FakeSources({}, Clone()));
  ASSERT_TRUE(main.ok());
  EXPECT_EQ(main->info.base_commit(), "");
  EXPECT_THAT(main->info.ancestors(), ElementsAre(Hash('b'), Hash('c')));
}

TEST(DetectRun, AncestorsAreBounded) {
  GitAnswers answers = Clone();
  std::string list;
  for (int i = 0; i < 101; ++i) list += Hash('b').substr(0, 37) + std::to_string(100 + i) + "\n";
  answers["rev-list --first-parent --max-count=101 " + Hash('b') + " --"] = list;
  const auto run = DetectRun({}, FakeSources({}, answers));
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->info.ancestors_size(), 100);
}

Environment GitHubPush(char commit, const std::string& ref) {
  return {{"GITHUB_ACTIONS", "true"}, {"GITHUB_SHA", Hash(commit)}, {"GITHUB_REF", ref}};
}

GitAnswers CheckedOut(char commit, const std::string& parents) {
  GitAnswers answers = Clone();
  std::vector<std::string> hashes;
  for (const char parent : parents) hashes.push_back(Hash(parent));
  CheckOut(Hash(commit), hashes, answers);
  return answers;
}

std::string Containing(const std::string& relation) {
  return "for-each-ref " + relation + " HEAD --format=%(refname:lstrip=3) refs/remotes/origin";
}

// Jobs of a pull request with head a and target main, whose variables name these commits.
std::vector<Environment> PullRequestJobs() {
  Environment target = GitHubPullRequest();  // pull_request_target
  target["GITHUB_SHA"] = Hash('f');
  target["GITHUB_REF"] = "refs/heads/main";
  return {GitHubPullRequest(),
          target,
          {{"GITLAB_CI", "true"},
           {"CI_COMMIT_SHA", Hash('e')},
           {"CI_MERGE_REQUEST_IID", "17"},
           {"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "feature"},
           {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"},
           {"CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", Hash('a')},
           {"CI_MERGE_REQUEST_TARGET_BRANCH_SHA", Hash('f')}},
          {{"BUILDKITE", "true"},
           {"BUILDKITE_COMMIT", Hash('a')},
           {"BUILDKITE_BRANCH", "feature"},
           {"BUILDKITE_PULL_REQUEST", "17"},
           {"BUILDKITE_PULL_REQUEST_BASE_BRANCH", "main"}},
          {{"TF_BUILD", "True"},
           {"BUILD_SOURCEVERSION", Hash('e')},
           {"BUILD_SOURCEBRANCH", "refs/pull/17/merge"},
           {"SYSTEM_PULLREQUEST_PULLREQUESTID", "17"},
           {"SYSTEM_PULLREQUEST_SOURCECOMMITID", Hash('a')},
           {"SYSTEM_PULLREQUEST_SOURCEBRANCH", "refs/heads/feature"},
           {"SYSTEM_PULLREQUEST_TARGETBRANCH", "refs/heads/main"}},
          {{"CIRCLECI", "true"},
           {"CIRCLE_SHA1", Hash('a')},
           {"CIRCLE_BRANCH", "feature"},
           {"CIRCLE_PULL_REQUEST", "https://github.example/o/r/pull/17"}},
          {{"JENKINS_URL", "https://jenkins.example/"},
           {"GIT_COMMIT", Hash('a')},
           {"CHANGE_ID", "17"},
           {"CHANGE_BRANCH", "feature"},
           {"CHANGE_TARGET", "main"}}};
}

RunSources PullRequestSources(const Environment& job, const GitAnswers& git) {
  return FakeSources(job, git, {{"/event.json", GitHubEvent(R"({"id": 1})")}});
}

TEST(DetectRun, BaseOfACheckedOutMergeIsItsOtherParent) {
  for (const Environment& job : PullRequestJobs()) {
    for (const char* parents : {"fa", "af"}) {
      const auto run = DetectRun({}, PullRequestSources(job, CheckedOut('e', parents)));
      ASSERT_TRUE(run.ok()) << run.status();
      EXPECT_EQ(run->info.commit(), Hash('a')) << run->ci_system;
      EXPECT_EQ(run->info.base_commit(), Hash('f')) << run->ci_system;
      EXPECT_EQ(run->info.pull_request(), "17") << run->ci_system;
      EXPECT_EQ(run->info.branch(), "feature") << run->ci_system;
      EXPECT_THAT(run->warnings, IsEmpty()) << run->ci_system;
    }
  }
}

TEST(DetectRun, PullRequestThatWasNotBuiltIsRefused) {
  for (const Environment& job : PullRequestJobs()) {
    for (const GitAnswers& git : {CheckedOut('f', "c"), CheckedOut('9', "8f"), CheckedOut('9', "a"),
                                  CheckedOut('9', "afc")}) {
      const auto run = DetectRun({}, PullRequestSources(job, git));
      ASSERT_EQ(run.status().code(), absl::StatusCode::kFailedPrecondition);
      EXPECT_THAT(std::string(run.status().message()), HasSubstr("was not measured"));
    }
    RunFlags flags;
    flags.info.set_commit(Hash('9'));
    EXPECT_EQ(DetectRun(flags, PullRequestSources(job, CheckedOut('9', "a")))->info.commit(),
              Hash('9'));
  }
}

TEST(DetectRun, JobOnAnotherCommitIsOfTheWorkTreesBranch) {
  const std::vector<Environment> jobs = {
      GitHubPush('f', "refs/heads/main"),  // schedule, workflow_dispatch
      {{"GITLAB_CI", "true"}, {"CI_COMMIT_SHA", Hash('f')}, {"CI_COMMIT_BRANCH", "main"}},
      {{"BUILDKITE", "true"}, {"BUILDKITE_COMMIT", Hash('f')}, {"BUILDKITE_BRANCH", "main"}},
      {{"TF_BUILD", "True"},
       {"BUILD_SOURCEVERSION", Hash('f')},
       {"BUILD_SOURCEBRANCH", "refs/heads/main"}},
      {{"CIRCLECI", "true"}, {"CIRCLE_SHA1", Hash('f')}, {"CIRCLE_BRANCH", "main"}},
      {{"JENKINS_URL", "x"}, {"GIT_COMMIT", Hash('f')}, {"GIT_BRANCH", "origin/main"}}};
  for (const Environment& job : jobs) {
    const auto run = DetectRun({}, FakeSources(job, Clone()));
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->info.commit(), Hash('a')) << run->ci_system;
    EXPECT_EQ(run->info.branch(), "feature") << run->ci_system;
    EXPECT_EQ(run->info.base_commit(), Hash('b')) << run->ci_system;
    EXPECT_THAT(run->warnings, ElementsAre(HasSubstr("not at the CI job's commit ffffffffffff")));
  }
}

// The tip of a branch that main was merged into is not a merge of a change into main.
TEST(DetectRun, MergeOfMainIntoAnotherBranchIsNotMains) {
  GitAnswers git = CheckedOut('e', "af");
  git[Containing("--points-at")] = "feature";
  git["merge-base " + Hash('e') + " " + Hash('f')] = Hash('f');
  const auto run = DetectRun({}, FakeSources(GitHubPush('f', "refs/heads/main"), git));
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->info.commit(), Hash('e'));
  EXPECT_EQ(run->info.branch(), "feature");
}

TEST(DetectRun, CommitThatOnlyTheJobHasIsNotMains) {
  GitAnswers git = CheckedOut('9', "f");
  git["symbolic-ref --quiet --short HEAD"] = "main";
  const auto run = DetectRun({}, FakeSources(GitHubPush('f', "refs/heads/main"), git));
  EXPECT_EQ(run.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(DetectRun, LocalMergeOfJenkinsIsItsHeadsRun) {
  Environment job = PullRequestJobs().back();
  job["GIT_COMMIT"] = Hash('e');
  const std::string refs =
      "for-each-ref --contains HEAD --count=1 --format=%(refname) refs/remotes";
  for (const char* parents : {"af", "fa", "ac"}) {
    GitAnswers git = CheckedOut('e', parents);
    git[refs] = "";
    git["merge-base " + Hash('c') + " " + Hash('f')] = Hash('c');
    const auto run = DetectRun({}, FakeSources(job, git));
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->info.commit(), Hash('a'));
    EXPECT_EQ(run->info.base_commit(), Hash(parents[0] == 'a' ? parents[1] : parents[0]));
  }
  GitAnswers unknown = CheckedOut('e', "89");
  unknown[refs] = "";
  EXPECT_THAT(std::string(DetectRun({}, FakeSources(job, unknown)).status().message()),
              HasSubstr("only this clone has"));
  GitAnswers pushed = CheckedOut('e', "af");
  pushed[refs] = "refs/remotes/origin/PR-17";
  EXPECT_EQ(DetectRun({}, FakeSources(job, pushed))->info.commit(), Hash('e'));
}

TEST(DetectRun, WorkflowRunIsOfTheCommitThatItChecksOut) {
  Environment job = GitHubPush('f', "refs/heads/main");
  job["GITHUB_EVENT_PATH"] = "/event.json";
  const auto detect = [&job](const GitAnswers& git) {
    return DetectRun({}, FakeSources(job, git, {{"/event.json", R"({"workflow_run": {
        "head_sha": ")" + Hash('a') + R"(", "head_branch": "patch", "repository": {"id": 1},
        "head_repository": {"id": 2}, "pull_requests": []}})"}}));
  };
  for (const GitAnswers& git : {Clone(), CheckedOut('e', "fa")}) {
    const auto run = detect(git);
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->info.commit(), Hash('a'));
    EXPECT_EQ(run->info.branch(), "patch");
    EXPECT_TRUE(run->info.from_fork());
  }
  const auto main = detect(CheckedOut('f', "c"));
  ASSERT_TRUE(main.ok()) << main.status();
  EXPECT_EQ(main->info.commit(), Hash('f'));
  EXPECT_EQ(main->info.branch(), "main");
  EXPECT_FALSE(main->info.from_fork());
}

TEST(DetectRun, BranchOfATagIsItsRef) {
  const std::vector<Environment> jobs = {
      GitHubPush('a', "refs/tags/v1.0"),
      {{"GITLAB_CI", "true"}, {"CI_COMMIT_SHA", Hash('a')}, {"CI_COMMIT_TAG", "v1.0"}},
      {{"BUILDKITE", "true"}, {"BUILDKITE_BRANCH", "v1.0"}, {"BUILDKITE_TAG", "v1.0"}},
      {{"TF_BUILD", "True"}, {"BUILD_SOURCEBRANCH", "refs/tags/v1.0"}},
      {{"CIRCLECI", "true"}, {"CIRCLE_TAG", "v1.0"}},
      {{"JENKINS_URL", "x"}, {"BRANCH_NAME", "v1.0"}, {"TAG_NAME", "v1.0"}}};
  for (const Environment& job : jobs) {
    const auto run = DetectRun({}, FakeSources(job, CheckedOut('a', "b")));
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_EQ(run->info.branch(), "refs/tags/v1.0") << run->ci_system;
  }
}

TEST(DetectRun, BranchOfADetachedHeadIsFromGit) {
  const auto branch = [](const GitAnswers& answers) {
    return DetectRun({}, FakeSources({{"DRONE", "true"}}, answers))->info.branch();
  };
  GitAnswers git = CheckedOut('a', "b");
  EXPECT_EQ(branch(git), "HEAD");
  git[Containing("--contains")] = "HEAD\nrelease\ntopic";
  EXPECT_EQ(branch(git), "release");
  git[Containing("--points-at")] = "topic";
  EXPECT_EQ(branch(git), "topic");
  git[Containing("--contains")] = "release\nmain\ntopic";
  EXPECT_EQ(branch(git), "main");
  git["for-each-ref --points-at HEAD --sort=-version:refname --count=1 --format=%(refname) "
      "refs/tags"] = "refs/tags/v2";
  EXPECT_EQ(branch(git), "refs/tags/v2");
}

TEST(DetectRun, MissingMergeBaseIsExplained) {
  GitAnswers answers = Clone();
  const auto warning = [&answers] {
    const auto run = DetectRun({}, FakeSources({}, answers));
    EXPECT_EQ(run->info.base_commit(), "");
    EXPECT_THAT(run->warnings, SizeIs(1));
    return run->warnings.front();
  };
  answers.erase("merge-base " + Hash('a') + " " + Hash('f'));
  EXPECT_THAT(warning(), HasSubstr("no common history"));
  answers["rev-parse --is-shallow-repository"] = "true";
  EXPECT_THAT(warning(), HasSubstr("fetch-depth: 0"));
  answers.erase(RevParse("refs/remotes/origin/main"));
  EXPECT_THAT(warning(), HasSubstr("the branch is not in this clone"));
}

TEST(DetectRun, FailureOfGitIsNotAnAnswer) {
  RunSources sources = FakeSources(GitHubPush('a', "refs/heads/feature"), {});
  sources.git = [](const std::vector<std::string>&) -> absl::StatusOr<std::string> {
    return absl::FailedPreconditionError("git rev-parse: fatal: detected dubious ownership");
  };
  const auto run = DetectRun({}, sources);
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->info.commit(), Hash('a'));
  EXPECT_THAT(run->warnings, ElementsAre(HasSubstr("dubious ownership")));
  sources.environment.clear();
  EXPECT_THAT(std::string(DetectRun({}, sources).status().message()),
              HasSubstr("dubious ownership"));
}

TEST(DetectRun, UncommittedChangesAreMentioned) {
  GitAnswers answers = Clone();
  answers["status --porcelain --untracked-files=no"] = " M a.cc\n M b.cc";
  const auto run = DetectRun({}, FakeSources({}, answers));
  ASSERT_TRUE(run.ok());
  ASSERT_THAT(run->warnings, SizeIs(1));
  EXPECT_THAT(run->warnings[0], HasSubstr("2 uncommitted changes"));
}

TEST(DetectRun, WithoutGitItSaysWhatToPass) {
  const auto run = DetectRun({}, FakeSources({}, {}));
  EXPECT_EQ(run.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(run.status().message()), HasSubstr("--commit=<full hash>"));
  EXPECT_THAT(std::string(run.status().message()), HasSubstr("not a git repository"));
}

TEST(WorkspaceStatus, HasTheKnownFieldsInCapitalLetters) {
  const auto run = DetectRun({}, FakeSources(GitHubPullRequest(), Clone(),
                                             {{"/event.json", GitHubEvent(R"({"id": 2})")}}));
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(WorkspaceStatus(run->info),
            "GPROFHUB_COMMIT " + Hash('a') +
                "\n"
                "GPROFHUB_BRANCH feature\n"
                "GPROFHUB_BASE_COMMIT " +
                Hash('b') +
                "\n"
                "GPROFHUB_PULL_REQUEST 17\n"
                "GPROFHUB_CI_LINK https://github.example/o/r/actions/runs/99\n"
                "GPROFHUB_COMMIT_SUBJECT Parse each word once\n"
                "GPROFHUB_TITLE Read faster\n"
                "GPROFHUB_AUTHOR uthor\n"
                "GPROFHUB_FROM_FORK true\n"
                "GPROFHUB_ANCESTORS " +
                Hash('b') + " " + Hash('c') +
                "\n"
                "GPROFHUB_COMMIT_TIME 1700000000\n");
}

TEST(WorkspaceStatus, RefusedRunHasTheReason) {
  EXPECT_EQ(NoCommitStatus(absl::FailedPreconditionError("not\nmeasured")),
            "GPROFHUB_NO_COMMIT not measured\n");
}

TEST(WorkspaceStatus, ValuesCannotAddLines) {
  v1::RunInfo run;
  run.set_commit("c");
  run.set_branch("a\nGPROFHUB_FROM_FORK false");
  run.set_from_fork(true);
  EXPECT_EQ(
      WorkspaceStatus(run),
      "GPROFHUB_COMMIT c\nGPROFHUB_BRANCH a GPROFHUB_FROM_FORK false\nGPROFHUB_FROM_FORK true\n");
}

TEST(WorkspaceStatus, IsReadAsItWasWritten) {
  v1::RunInfo run;
  run.set_commit(Hash('a'));
  run.set_branch("feature");
  run.set_base_commit(Hash('b'));
  run.add_ancestors(Hash('b'));
  run.add_ancestors(Hash('c'));
  run.set_pull_request("17");
  run.set_ci_link("https://ci.example/1");
  run.set_from_fork(true);
  run.set_commit_unix_ms(1'700'000'000'000);
  run.set_machine("Z80, 1 processor");
  std::map<std::string, std::string> values;
  for (const absl::string_view line :
       absl::StrSplit(WorkspaceStatus(run), '\n', absl::SkipEmpty())) {
    values.insert(
        std::pair<std::string, std::string>(absl::StrSplit(line, absl::MaxSplits(' ', 1))));
  }
  v1::RunInfo read;
  const absl::Status status = ReadWorkspaceStatus(
      [&values](const std::string& key) { return values["GPROFHUB_" + key]; }, read);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(read.SerializeAsString(), run.SerializeAsString());
}

TEST(WorkspaceStatus, CannotNameTheProject) {
  v1::RunInfo run;
  run.set_project("mine");
  ASSERT_TRUE(ReadWorkspaceStatus(
                  [](const std::string& key) {
                    return key == "PROJECT" ? std::string("theirs") : std::string();
                  },
                  run)
                  .ok());
  EXPECT_EQ(run.project(), "mine");
}

TEST(DetectRun, UnknownCommitsInFlagsAreErrors) {
  RunFlags flags;
  flags.info.set_commit("nonsense");
  EXPECT_EQ(DetectRun(flags, FakeSources({}, Clone())).status().code(),
            absl::StatusCode::kInvalidArgument);
  flags.info.clear_commit();
  flags.info.set_base_commit("nonsense");
  EXPECT_EQ(DetectRun(flags, FakeSources({}, Clone())).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace

}  // namespace gprofhub::ci
