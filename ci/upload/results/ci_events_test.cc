// What is recorded, compared and posted for each event of each CI system: the table of docs/ci.md,
// row by row. Every row is a job in a clone of a TestRepository.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/merge_queue.h"
#include "ci/upload/results/detect_run.h"
#include "ci/upload/testing/test_files.h"
#include "ci/upload/testing/test_repository.h"

namespace gprofhub::ci {

namespace {

class CiEventsTest : public testing::Test {
 protected:
  // `text` with the hashes of the commits in braces.
  std::string Filled(std::string text) const {
    for (const auto& [name, hash] : clone_.hashes()) {
      text = absl::StrReplaceAll(text, {{absl::StrCat("{", name, "}"), hash}});
    }
    return absl::StrReplaceAll(text, {{"{queue}", clone_.queue()}});
  }
  std::string NameOf(const std::string& hash) const {
    for (const auto& [name, of_name] : clone_.hashes()) {
      if (of_name == hash) return absl::StrCat("`", name, "`");
    }
    return hash.empty() ? "–" : hash;
  }

  // The cells of a job's row after the first one.
  std::string Row(const std::string& checked_out, Environment job, const std::string& event) {
    clone_.Git({"checkout", "--quiet", checked_out});
    for (auto& [name, value] : job) value = Filled(value);
    RunSources sources = LocalSources(clone_.folder());
    sources.environment = std::move(job);
    sources.read_file = [this, event](const std::string&) { return Filled(event); };
    const auto run = DetectRun({}, sources);
    if (!run.ok()) {
      EXPECT_TRUE(absl::StrContains(run.status().message(), "was not measured")) << run.status();
      return "refused | – | – | – | – |";
    }
    const v1::RunInfo& info = run->info;
    const bool in_queue = base::IsMergeQueueBranch(info.branch());
    const std::string base = !info.base_commit().empty() ? info.base_commit()
                             : info.ancestors_size() > 0 ? info.ancestors(0)
                                                         : "";
    const std::string branch =
        info.branch() == clone_.queue() ? "the queue's" : absl::StrCat("`", info.branch(), "`");
    const std::string pull_request = info.pull_request().empty() ? "–"
                                     : info.from_fork()
                                         ? absl::StrCat(info.pull_request(), ", fork")
                                         : info.pull_request();
    const std::string posted = info.pull_request().empty() ? "–"
                               : in_queue                  ? "check"
                                                           : "comment, check";
    return absl::StrCat(NameOf(info.commit()), " | ", branch, " | ", pull_request, " | ",
                        NameOf(base), " | ", posted, " |");
  }

  TestRepository clone_ = TestRepository::Make(MakeTestFolder("ci_events_origin"))
                              .CloneTo(MakeTestFolder("ci_events_clone"));
};

struct Job {
  std::string name;  // first cell of the row
  std::string checked_out;
  Environment variables;
  std::string event = {};
};

Environment GitHub(const std::string& ref, const std::string& commit, Environment more = {}) {
  more.insert({{"GITHUB_ACTIONS", "true"},
               {"GITHUB_REF", ref},
               {"GITHUB_SHA", commit},
               {"GITHUB_EVENT_PATH", "/event.json"}});
  return more;
}

std::string PullRequestEvent(int head_repository) {
  return absl::StrCat(R"({"pull_request": {"number": 17, "head": {"sha": "{f}", "repo": {"id": )",
                      head_repository, R"(}}, "base": {"repo": {"id": 1}}}})");
}

std::vector<Job> OfGitHub() {
  const Environment change = {{"GITHUB_HEAD_REF", "feature"}, {"GITHUB_BASE_REF", "main"}};
  const Environment pull = GitHub("refs/pull/17/merge", "{merge}", change);
  const Environment target = GitHub("refs/heads/main", "{m2}", change);
  const Environment on_main = GitHub("refs/heads/main", "{m2}");
  const std::string workflow_run =
      R"({"workflow_run": {"head_sha": "{f}", "head_branch": "feature", "repository": {"id": 1},
          "head_repository": {"id": 1}, "pull_requests": []}})";
  return {
      {"GitHub `push` to main", "main", on_main},
      {"GitHub `push` to a branch", "feature", GitHub("refs/heads/feature", "{f}")},
      {"GitHub `push` of a tag", "v1.0", GitHub("refs/tags/v1.0", "{m2}")},
      {"GitHub `pull_request`", "{merge}", pull, PullRequestEvent(1)},
      {"GitHub `pull_request` of a fork", "{merge}", pull, PullRequestEvent(2)},
      {"GitHub `pull_request`, its head checked out", "{f}", pull, PullRequestEvent(1)},
      {"GitHub `pull_request_target`", "main", target, PullRequestEvent(2)},
      {"GitHub `pull_request_target`, the head checked out", "{f}", target, PullRequestEvent(2)},
      {"GitHub `merge_group`", "{group}", GitHub("refs/heads/{queue}", "{group}")},
      {"GitHub `schedule`", "main", on_main},
      {"GitHub `schedule`, a branch checked out", "feature", on_main},
      {"GitHub `workflow_dispatch` on a branch", "feature", GitHub("refs/heads/feature", "{f}")},
      {"GitHub `workflow_run`", "main", on_main, workflow_run},
      {"GitHub `workflow_run`, its commit checked out", "{f}", on_main, workflow_run}};
}

std::vector<Job> OfGitLab() {
  const auto gitlab = [](const std::string& commit, Environment more) {
    more.insert({{"GITLAB_CI", "true"}, {"CI_COMMIT_SHA", commit}, {"CI_DEFAULT_BRANCH", "main"}});
    return more;
  };
  const auto request = [&gitlab](const std::string& commit, Environment more) {
    more.insert({{"CI_MERGE_REQUEST_IID", "17"},
                 {"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "feature"},
                 {"CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"},
                 {"CI_MERGE_REQUEST_DIFF_BASE_SHA", "{m1}"},
                 {"CI_MERGE_REQUEST_PROJECT_ID", "1"},
                 {"CI_MERGE_REQUEST_SOURCE_PROJECT_ID", "1"}});
    return gitlab(commit, more);
  };
  const Environment merged = {{"CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "{f}"},
                              {"CI_MERGE_REQUEST_TARGET_BRANCH_SHA", "{m2}"}};
  Environment train = merged;
  train["CI_MERGE_REQUEST_EVENT_TYPE"] = "merge_train";
  return {{"GitLab branch", "main", gitlab("{m2}", {{"CI_COMMIT_BRANCH", "main"}})},
          {"GitLab tag", "v1.0", gitlab("{m2}", {{"CI_COMMIT_TAG", "v1.0"}})},
          {"GitLab merge request", "{f}", request("{f}", {})},
          {"GitLab merged results", "{merge}", request("{merge}", merged)},
          {"GitLab merge train", "{group}", request("{group}", train)}};
}

std::vector<Job> OfJenkins() {
  const auto jenkins = [](const std::string& commit, Environment more) {
    more.insert({{"JENKINS_URL", "x"}, {"GIT_COMMIT", commit}});
    return more;
  };
  const Environment change = {
      {"CHANGE_ID", "17"}, {"CHANGE_BRANCH", "feature"}, {"CHANGE_TARGET", "main"}};
  return {{"Jenkins branch", "main", jenkins("{m2}", {{"BRANCH_NAME", "main"}})},
          {"Jenkins pull request, its head", "{f}", jenkins("{f}", change)},
          {"Jenkins pull request, merged with the target", "{local}", jenkins("{local}", change)},
          {"Jenkins merge queue", "{group}", jenkins("{group}", {{"BRANCH_NAME", "{queue}"}})},
          {"Gerrit change (Jenkins' trigger)", "{f}",
           jenkins("{f}", {{"GERRIT_CHANGE_NUMBER", "17"},
                           {"GERRIT_PATCHSET_REVISION", "{f}"},
                           {"GERRIT_BRANCH", "main"}})}};
}

std::vector<Job> OfOthers() {
  return {{"Buildkite pull request",
           "{f}",
           {{"BUILDKITE", "true"},
            {"BUILDKITE_COMMIT", "{f}"},
            {"BUILDKITE_BRANCH", "feature"},
            {"BUILDKITE_REPO", "git@github.example:o/r.git"},
            {"BUILDKITE_PULL_REQUEST_REPO", "git://github.example/o/r.git"},
            {"BUILDKITE_PULL_REQUEST", "17"},
            {"BUILDKITE_PULL_REQUEST_BASE_BRANCH", "main"}}},
          {"Buildkite merge queue",
           "{group}",
           {{"BUILDKITE", "true"},
            {"BUILDKITE_COMMIT", "{group}"},
            {"BUILDKITE_BRANCH", "{queue}"},
            {"BUILDKITE_PULL_REQUEST", "false"}}},
          {"Azure Pipelines pull request",
           "{merge}",
           {{"TF_BUILD", "True"},
            {"BUILD_SOURCEVERSION", "{merge}"},
            {"BUILD_SOURCEBRANCH", "refs/pull/17/merge"},
            {"SYSTEM_PULLREQUEST_PULLREQUESTNUMBER", "17"},
            {"SYSTEM_PULLREQUEST_SOURCECOMMITID", "{f}"},
            {"SYSTEM_PULLREQUEST_SOURCEBRANCH", "refs/heads/feature"},
            {"SYSTEM_PULLREQUEST_TARGETBRANCH", "refs/heads/main"}}},
          {"CircleCI pull request",
           "{f}",
           {{"CIRCLECI", "true"},
            {"CIRCLE_SHA1", "{f}"},
            {"CIRCLE_BRANCH", "feature"},
            {"CIRCLE_PULL_REQUEST", "https://github.example/o/r/pull/17"}}},
          {"no CI system, on a branch", "feature", {}}};
}

// The rows of the table of events, without the first column's padding.
std::vector<std::string> RowsOfDocs() {
  const auto text = base::ReadFile("docs/ci.md", 1 << 20);
  EXPECT_TRUE(text.ok()) << text.status();
  std::vector<std::string> rows;
  bool in_table = false;
  for (const absl::string_view line : absl::StrSplit(text.ok() ? *text : "", '\n')) {
    if (absl::StartsWith(line, "| event |")) in_table = true;
    if (line.empty()) in_table = false;
    if (in_table) rows.emplace_back(line);
  }
  if (rows.size() > 2) rows.erase(rows.begin(), rows.begin() + 2);
  return rows;
}

TEST_F(CiEventsTest, EachEventIsRecordedAsTheDocumentationSays) {
  // The merge of Jenkins' strategy is in the job's own clone alone.
  clone_.Git({"checkout", "--quiet", "--detach", "origin/feature"});
  clone_.Git({"merge", "--quiet", "--no-ff", "-m", "local", "origin/main"});
  clone_.Name("local");
  std::vector<std::string> rows;
  for (const auto& jobs : {OfGitHub(), OfGitLab(), OfJenkins(), OfOthers()}) {
    for (const Job& job : jobs) {
      SCOPED_TRACE(job.name);
      rows.push_back(absl::StrCat("| ", job.name, " | ",
                                  Row(Filled(job.checked_out), job.variables, job.event)));
    }
  }
  EXPECT_EQ(rows, RowsOfDocs());
}

}  // namespace

}  // namespace gprofhub::ci
