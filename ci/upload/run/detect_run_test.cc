#include "ci/upload/run/detect_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"

namespace gprofhub::ci {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string Hash(char digit) { return std::string(40, digit); }

// Answers to git's command lines, by their words; anything else fails as git
// does outside of a work tree.
using GitAnswers = std::map<std::string, std::string>;

std::string RevParse(const std::string& name) {
  return "rev-parse --verify --quiet --end-of-options " + name + "^{commit}";
}

RunSources Sources(Environment environment, GitAnswers answers,
                   std::map<std::string, std::string> files = {}) {
  RunSources sources;
  sources.environment = std::move(environment);
  sources.git = [answers = std::move(answers)](
                    const std::vector<std::string>& words) -> absl::StatusOr<std::string> {
    const auto answer = answers.find(absl::StrJoin(words, " "));
    if (answer == answers.end()) {
      return absl::FailedPreconditionError("git: fatal: not a git repository");
    }
    return answer->second;
  };
  sources.read_file =
      [files = std::move(files)](const std::string& path) -> absl::StatusOr<std::string> {
    const auto file = files.find(path);
    if (file == files.end()) return absl::NotFoundError(path);
    return file->second;
  };
  return sources;
}

// A clone in which commit a is on a branch whose merge base with origin/main
// (commit f) is commit b, and commit c is b's parent.
GitAnswers Clone() {
  return {{"rev-parse --verify HEAD^{commit}", Hash('a')},
          {RevParse("HEAD"), Hash('a')},
          {"symbolic-ref --quiet --short HEAD", "feature"},
          {"symbolic-ref --quiet --short refs/remotes/origin/HEAD", "origin/main"},
          {RevParse("refs/remotes/origin/main"), Hash('f')},
          {"merge-base " + Hash('a') + " " + Hash('f'), Hash('b')},
          {"rev-list --first-parent --max-count=101 " + Hash('b') + " --",
           Hash('b') + "\n" + Hash('c')},
          {"rev-list --first-parent --max-count=101 " + Hash('a') + " --",
           Hash('a') + "\n" + Hash('b') + "\n" + Hash('c')},
          {"show --no-patch --format=%ct " + Hash('a') + " --", "1700000000"},
          {"status --porcelain --untracked-files=no", ""}};
}

std::string GitHubEvent(const std::string& head_repository) {
  return R"({"pull_request": {"number": 17, "head": {"sha": ")" + Hash('a') + R"(", "repo": )" +
         head_repository + R"(}, "base": {"repo": {"id": 1}}}})";
}

Environment GitHubPullRequest() {
  return {{"GITHUB_ACTIONS", "true"},
          {"GITHUB_SHA", Hash('e')},
          {"GITHUB_REF", "refs/pull/17/merge"},
          {"GITHUB_HEAD_REF", "feature"},
          {"GITHUB_BASE_REF", "main"},
          {"GITHUB_EVENT_PATH", "/event.json"},
          {"GITHUB_SERVER_URL", "https://github.example"},
          {"GITHUB_REPOSITORY", "o/r"},
          {"GITHUB_RUN_ID", "99"},
          {"GITHUB_RUN_ATTEMPT", "2"},
          {"GITHUB_JOB", "test"}};
}

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

std::vector<Case> Cases() {
  std::vector<Case> cases;
  cases.push_back({"no CI, feature branch", {}, {}, "", "feature", Hash('b'), "", "", false});
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
  cases.push_back({"GitLab branch pipeline",
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
                   false});
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

TEST(DetectRun, NamesTheMachine) {
  const std::map<std::string, std::string> files = {
      {"/proc/cpuinfo", "processor: 0\nmodel name: Z80\n"}};
  RunFlags flags;
  EXPECT_EQ(DetectRun(flags, Sources({}, Clone(), files))->info.machine(), "Z80, 1 processor");
  EXPECT_EQ(DetectRun(flags, Sources({}, Clone()))->info.machine(), "");
  flags.machine = "builders";
  EXPECT_EQ(DetectRun(flags, Sources({}, Clone(), files))->info.machine(), "builders");
}

TEST(DetectRun, EveryCiSystemIsUnderstood) {
  for (const Case& c : Cases()) {
    SCOPED_TRACE(c.name);
    const auto run = DetectRun({}, Sources(c.environment, Clone(), c.files));
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

TEST(DetectRun, FlagsWinOverCiAndGit) {
  RunFlags flags;
  flags.project = "p";
  flags.run_key = "k";
  flags.commit = Hash('1');
  flags.branch = "mine";
  flags.base_commit = Hash('2');
  flags.pull_request = "5";
  flags.ci_link = "https://u:p@ci.example/1";
  flags.configuration = "k8-opt";
  flags.from_fork = true;
  const auto run = DetectRun(
      flags, Sources(GitHubPullRequest(), Clone(), {{"/event.json", GitHubEvent(R"({"id": 1})")}}));
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->info.project(), "p");
  EXPECT_EQ(run->info.run_key(), "k");
  EXPECT_EQ(run->info.commit(), Hash('1'));
  EXPECT_EQ(run->info.branch(), "mine");
  EXPECT_EQ(run->info.base_commit(), Hash('2'));
  EXPECT_EQ(run->info.pull_request(), "5");
  EXPECT_EQ(run->info.ci_link(), "https://ci.example/1");
  EXPECT_EQ(run->info.configuration(), "k8-opt");
  EXPECT_TRUE(run->info.from_fork());
}

TEST(DetectRun, FlagsSufficeWithoutGitAndCi) {
  RunFlags flags;
  flags.commit = Hash('1');
  const auto run = DetectRun(flags, Sources({}, {}));
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->info.commit(), Hash('1'));
  EXPECT_EQ(run->info.base_commit(), "");
  EXPECT_EQ(run->info.commit_unix_ms(), 0);
}

TEST(DetectRun, AncestorsBeginAtTheBaseAndLeaveOutTheCommitItself) {
  const auto change = DetectRun({}, Sources({}, Clone()));
  ASSERT_TRUE(change.ok());
  EXPECT_THAT(change->info.ancestors(), ElementsAre(Hash('b'), Hash('c')));
  RunFlags flags;
  flags.branch = "main";
  const auto main = DetectRun(flags, Sources({}, Clone()));
  ASSERT_TRUE(main.ok());
  EXPECT_EQ(main->info.base_commit(), "");
  EXPECT_THAT(main->info.ancestors(), ElementsAre(Hash('b'), Hash('c')));
}

TEST(DetectRun, AncestorsAreBounded) {
  GitAnswers answers = Clone();
  std::string list;
  for (int i = 0; i < 101; ++i) list += Hash('b').substr(0, 37) + std::to_string(100 + i) + "\n";
  answers["rev-list --first-parent --max-count=101 " + Hash('b') + " --"] = list;
  const auto run = DetectRun({}, Sources({}, answers));
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->info.ancestors_size(), 100);
}

TEST(DetectRun, BaseOfACheckedOutMergeIsItsFirstParent) {
  GitAnswers answers = Clone();
  answers[RevParse("HEAD")] = Hash('e');
  answers[RevParse("HEAD^2")] = Hash('a');
  answers[RevParse("HEAD^1")] = Hash('f');
  const auto run = DetectRun(
      {}, Sources(GitHubPullRequest(), answers, {{"/event.json", GitHubEvent(R"({"id": 1})")}}));
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->info.commit(), Hash('a'));
  EXPECT_EQ(run->info.base_commit(), Hash('f'));
}

TEST(DetectRun, ShallowCloneIsExplained) {
  GitAnswers answers = Clone();
  answers.erase("merge-base " + Hash('a') + " " + Hash('f'));
  const auto run = DetectRun({}, Sources({}, answers));
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->info.base_commit(), "");
  ASSERT_THAT(run->warnings, SizeIs(1));
  EXPECT_THAT(run->warnings[0], HasSubstr("fetch-depth: 0"));
}

TEST(DetectRun, UncommittedChangesAreMentioned) {
  GitAnswers answers = Clone();
  answers["status --porcelain --untracked-files=no"] = " M a.cc\n M b.cc";
  const auto run = DetectRun({}, Sources({}, answers));
  ASSERT_TRUE(run.ok());
  ASSERT_THAT(run->warnings, SizeIs(1));
  EXPECT_THAT(run->warnings[0], HasSubstr("2 uncommitted changes"));
}

TEST(DetectRun, WithoutGitItSaysWhatToPass) {
  const auto run = DetectRun({}, Sources({}, {}));
  EXPECT_EQ(run.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(run.status().message()), HasSubstr("--commit=<full hash>"));
  EXPECT_THAT(std::string(run.status().message()), HasSubstr("not a git repository"));
}

TEST(DetectRun, UnknownCommitsInFlagsAreErrors) {
  RunFlags flags;
  flags.commit = "nonsense";
  EXPECT_EQ(DetectRun(flags, Sources({}, Clone())).status().code(),
            absl::StatusCode::kInvalidArgument);
  flags.commit.clear();
  flags.base_commit = "nonsense";
  EXPECT_EQ(DetectRun(flags, Sources({}, Clone())).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(DetectRun, UnreadableGitHubEventIsTreatedAsAFork) {
  for (const std::string text : {"", "{", "[]", "{}", R"({"pull_request": 3})"}) {
    const auto run = DetectRun({}, Sources(GitHubPullRequest(), Clone(), {{"/event.json", text}}));
    ASSERT_TRUE(run.ok()) << run.status();
    EXPECT_TRUE(run->info.from_fork()) << text;
    EXPECT_EQ(run->info.pull_request(), "17");
    EXPECT_FALSE(run->warnings.empty());
  }
}

}  // namespace
}  // namespace gprofhub::ci
