#include "ci/upload/results/ci_systems.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/merge_queue.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "base/word_pointers.h"

extern char** environ;

namespace gprofhub::ci {

namespace {

// Far above any output needed here.
constexpr size_t kMaxOutput = 8 << 20;

struct Pipe {
  base::FileDescriptor read;
  base::FileDescriptor write;
};

absl::StatusOr<Pipe> MakePipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    return absl::ResourceExhaustedError(absl::StrCat("git: pipe: ", std::strerror(errno)));
  }
  return Pipe{base::FileDescriptor(fds[0]), base::FileDescriptor(fds[1])};
}

using Clock = std::chrono::steady_clock;

// Milliseconds until `end`, for poll; -1: no timeout.
int PollTime(std::optional<Clock::time_point> end) {
  if (!end.has_value()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 60'000));
}

// Reads both pipes concurrently until their ends: reading one after the other would deadlock with a
// child that fills the other. False: the time ended first.
bool Drain(Pipe& output, Pipe& error, std::optional<Clock::time_point> end,
           std::string& output_text, std::string& error_text) {
  std::array<pollfd, 2> waiting = {pollfd{output.read.value(), POLLIN, 0},
                                   pollfd{error.read.value(), POLLIN, 0}};
  std::array<std::string*, 2> texts = {&output_text, &error_text};
  size_t open = waiting.size();
  std::array<char, 16384> buffer;
  while (open > 0) {
    if (end.has_value() && Clock::now() >= *end) return false;
    if (poll(waiting.data(), waiting.size(), PollTime(end)) < 0) {
      if (errno == EINTR) continue;
      return true;
    }
    for (size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      const ssize_t count = read(waiting[i].fd, buffer.data(), buffer.size());
      if (count > 0) {
        if (texts[i]->size() < kMaxOutput) texts[i]->append(buffer.data(), count);
      } else if (count == 0 || errno != EINTR) {
        waiting[i].fd = -1;
        --open;
      }
    }
  }
  return true;
}

// The environment of git: messages are in English, because GitError reads them.
std::vector<std::string> GitEnvironment() {
  Environment variables = ProcessEnvironment();
  variables.erase("LANGUAGE");
  variables["LC_ALL"] = "C";
  std::vector<std::string> entries;
  for (const auto& [name, value] : variables) entries.push_back(absl::StrCat(name, "=", value));
  return entries;
}

// The line of git's standard error that has the reason: warnings and hints may precede it.
absl::string_view ReasonIn(absl::string_view error_text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(error_text, '\n');
  for (const absl::string_view line : lines) {
    if (absl::StartsWith(line, "fatal: ") || absl::StartsWith(line, "error: ")) return line;
  }
  return lines.front();
}

// What the user can do; empty if git's own sentence has to do.
std::string RemedyFor(absl::string_view reason, const std::string& workspace) {
  if (absl::StrContains(reason, "dubious ownership") || absl::StrContains(reason, "unsafe repo")) {
    const size_t first = reason.find('\'');
    const size_t last = reason.find('\'', first + 1);
    const absl::string_view folder = last == absl::string_view::npos
                                         ? absl::string_view(workspace)
                                         : reason.substr(first + 1, last - first - 1);
    return absl::StrCat("; run `git config --global --add safe.directory ", folder, "`");
  }
  if (absl::StrContains(reason, "not a git repository")) {
    return "; run this inside the git work tree that was built";
  }
  return "";
}

// git exits with 1 and prints nothing if the answer is no: there is no such revision, branch or
// merge base. Everything else is a failure.
absl::Status GitError(const std::string& subcommand, int status, const std::string& error_text,
                      const std::string& workspace) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 1 && error_text.empty()) {
    return absl::NotFoundError(absl::StrCat("git ", subcommand, ": no result"));
  }
  const absl::string_view reason = ReasonIn(error_text);
  return absl::FailedPreconditionError(
      absl::StrCat("git ", subcommand, ": ",
                   reason.empty() ? absl::StrCat("exited with status ", status)
                                  : WithoutCredentials(std::string(reason)),
                   RemedyFor(reason, workspace)));
}

absl::StatusOr<std::string> RunGit(const std::string& workspace, absl::Duration longest,
                                   const std::vector<std::string>& arguments) {
  std::optional<Clock::time_point> end;
  if (longest < absl::InfiniteDuration()) end = Clock::now() + absl::ToChronoNanoseconds(longest);
  std::vector<std::string> words = {"git", "-C", workspace};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv = base::WordPointers(words);
  std::vector<std::string> variables = GitEnvironment();
  std::vector<char*> envp = base::WordPointers(variables);

  ASSIGN_OR_RETURN(Pipe output, MakePipe());
  ASSIGN_OR_RETURN(Pipe error, MakePipe());
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.write.value(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, error.write.value(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // With a timeout git runs in a process group of its own, so that its children are killed, too.
  if (end.has_value()) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int spawned = posix_spawnp(&child, "git", &actions, &attributes, argv.data(), envp.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (spawned != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot run git: ", std::strerror(spawned), "; install git"));
  }
  output.write.Close();
  error.write.Close();
  std::string output_text;
  std::string error_text;
  const bool is_over = Drain(output, error, end, output_text, error_text);
  if (!is_over) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string subcommand = arguments.empty() ? "" : arguments[0];
  if (!is_over) {
    return absl::UnavailableError(
        absl::StrCat("git ", subcommand, ": timed out after ", absl::FormatDuration(longest)));
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return GitError(subcommand, status, error_text, workspace);
  }
  return output_text;
}

}  // namespace

GitCommand GitIn(std::string workspace, absl::Duration longest, GitOutput output) {
  return [workspace = std::move(workspace), longest,
          output](const std::vector<std::string>& arguments) {
    absl::StatusOr<std::string> text = RunGit(workspace, longest, arguments);
    if (text.ok() && output == GitOutput::kWithoutTrailingSpace) {
      absl::StripTrailingAsciiWhitespace(&*text);
    }
    return text;
  };
}

std::optional<std::string> CheckedOut::OtherParent(const std::string& parent) const {
  if (parents.size() != 2) return std::nullopt;
  if (parents[1] == parent) return parents[0];
  if (parents[0] == parent) return parents[1];
  return std::nullopt;
}

absl::StatusOr<CheckedOut> ReadCheckedOut(const GitCommand& git) {
  CheckedOut head;
  ASSIGN_OR_RETURN(head.commit, git({"rev-parse", "--verify", "HEAD^{commit}"}));
  if (!base::IsCommitHash(head.commit)) {
    return absl::FailedPreconditionError("git rev-parse: returned no full hash");
  }
  // The commit itself has its parents also in a shallow clone, where git log and HEAD^2 do not.
  ASSIGN_OR_RETURN(const std::string text, git({"cat-file", "commit", head.commit}));
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line.empty()) break;  // the message follows
    if (absl::ConsumePrefix(&line, "parent ")) head.parents.emplace_back(line);
  }
  return head;
}

std::string WithoutCredentials(const std::string& text) {
  std::string result;
  size_t position = 0;
  while (true) {
    const size_t scheme = text.find("://", position);
    if (scheme == std::string::npos) return result + text.substr(position);
    const size_t authority = scheme + 3;
    const size_t end = text.find_first_of("/?# '\"\n", authority);
    const size_t at = text.substr(0, end).rfind('@');
    result += text.substr(position, authority - position);
    position = at != std::string::npos && at >= authority ? at + 1 : authority;
  }
}

}  // namespace gprofhub::ci

extern char** environ;

namespace gprofhub::ci {

Environment ProcessEnvironment() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const size_t equals = text.find('=');
    if (equals != std::string::npos) environment[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return environment;
}

namespace {

using nlohmann::json;

constexpr absl::string_view kTagPrefix = "refs/tags/";

// All variables that are read below, sorted.
constexpr absl::string_view kVariables[] = {
    "BRANCH_NAME",
    "BUILDKITE",
    "BUILDKITE_BRANCH",
    "BUILDKITE_BUILD_URL",
    "BUILDKITE_COMMIT",
    "BUILDKITE_JOB_ID",
    "BUILDKITE_PIPELINE_DEFAULT_BRANCH",
    "BUILDKITE_PULL_REQUEST",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    "BUILDKITE_PULL_REQUEST_REPO",
    "BUILDKITE_REPO",
    "BUILDKITE_TAG",
    "BUILD_BUILDID",
    "BUILD_SOURCEBRANCH",
    "BUILD_SOURCEVERSION",
    "BUILD_TAG",
    "BUILD_URL",
    "CHANGE_AUTHOR",
    "CHANGE_AUTHOR_DISPLAY_NAME",
    "CHANGE_BRANCH",
    "CHANGE_FORK",
    "CHANGE_ID",
    "CHANGE_TARGET",
    "CHANGE_TITLE",
    "CIRCLECI",
    "CIRCLE_BRANCH",
    "CIRCLE_BUILD_URL",
    "CIRCLE_PR_REPONAME",
    "CIRCLE_PR_USERNAME",
    "CIRCLE_PULL_REQUEST",
    "CIRCLE_SHA1",
    "CIRCLE_TAG",
    "CIRCLE_WORKFLOW_JOB_ID",
    "CI_COMMIT_BRANCH",
    "CI_COMMIT_SHA",
    "CI_COMMIT_TAG",
    "CI_DEFAULT_BRANCH",
    "CI_JOB_ID",
    "CI_JOB_URL",
    "CI_MERGE_REQUEST_DIFF_BASE_SHA",
    "CI_MERGE_REQUEST_EVENT_TYPE",
    "CI_MERGE_REQUEST_IID",
    "CI_MERGE_REQUEST_PROJECT_ID",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME",
    "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA",
    "CI_MERGE_REQUEST_SOURCE_PROJECT_ID",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
    "CI_MERGE_REQUEST_TARGET_BRANCH_SHA",
    "CI_MERGE_REQUEST_TITLE",
    "GERRIT_BRANCH",
    "GERRIT_CHANGE_NUMBER",
    "GERRIT_CHANGE_OWNER_NAME",
    "GERRIT_CHANGE_SUBJECT",
    "GERRIT_PATCHSET_REVISION",
    "GITHUB_ACTIONS",
    "GITHUB_BASE_REF",
    "GITHUB_EVENT_PATH",
    "GITHUB_HEAD_REF",
    "GITHUB_JOB",
    "GITHUB_REF",
    "GITHUB_REPOSITORY",
    "GITHUB_RUN_ATTEMPT",
    "GITHUB_RUN_ID",
    "GITHUB_SERVER_URL",
    "GITHUB_SHA",
    "GITLAB_CI",
    "GIT_BRANCH",
    "GIT_COMMIT",
    "JENKINS_URL",
    "SYSTEM_COLLECTIONURI",
    "SYSTEM_JOBATTEMPT",
    "SYSTEM_JOBID",
    "SYSTEM_PULLREQUEST_ISFORK",
    "SYSTEM_PULLREQUEST_PULLREQUESTID",
    "SYSTEM_PULLREQUEST_PULLREQUESTNUMBER",
    "SYSTEM_PULLREQUEST_SOURCEBRANCH",
    "SYSTEM_PULLREQUEST_SOURCECOMMITID",
    "SYSTEM_PULLREQUEST_TARGETBRANCH",
    "SYSTEM_TEAMPROJECT",
    "TAG_NAME",
    "TF_BUILD",
};

// A name of kVariables. Another one does not compile.
class Variable {
 public:
  consteval Variable(const char* name)
      : name_(*std::find(std::begin(kVariables), std::end(kVariables), absl::string_view(name))) {}
  std::string name() const { return std::string(name_); }

 private:
  absl::string_view name_;
};

// Reads variables; an absent one is an empty string.
class Variables {
 public:
  explicit Variables(const Environment& environment) : environment_(environment) {}
  std::string operator()(Variable variable) const {
    const auto found = environment_.find(variable.name());
    return found == environment_.end() ? "" : found->second;
  }

 private:
  const Environment& environment_;
};

std::string WithoutPrefix(const std::string& text, absl::string_view prefix) {
  return std::string(absl::StripPrefix(text, prefix));
}

// The branch that a full ref name stands for: "main" for "refs/heads/main". A tag keeps its full
// name, so that it is not confused with a branch. Empty for refs of pull requests.
std::string BranchOfRef(const std::string& ref) {
  if (absl::StartsWith(ref, kTagPrefix)) return ref;
  return absl::StartsWith(ref, "refs/heads/") ? WithoutPrefix(ref, "refs/heads/") : "";
}

// The branch name of a tag's run; `branch` if there is no tag.
std::string BranchOr(const std::string& tag, const std::string& branch) {
  return tag.empty() ? branch : absl::StrCat(kTagPrefix, tag);
}

// The string or number at a path of nested objects; empty if absent.
std::string At(const json& value, std::initializer_list<const char*> path) {
  const json* node = &value;
  for (const char* key : path) {
    if (!node->is_object()) return "";
    const auto child = node->find(key);
    if (child == node->end()) return "";
    node = &*child;
  }
  if (node->is_string()) return node->get<std::string>();
  if (node->is_number_integer()) return std::to_string(node->get<int64_t>());
  return "";
}

// In a pull_request event GITHUB_SHA is a temporary merge commit; only the event's description has
// the head commit, and whether it comes from a fork.
void ReadGitHubPullRequest(const json& event, const std::string& event_path, CiJob& job) {
  if (At(event, {"pull_request", "head", "sha"}).empty()) {
    job.warnings.push_back(
        absl::StrCat("GITHUB_EVENT_PATH (", event_path,
                     ") does not describe a pull request: using the merge commit as the head, and "
                     "treating the run as one from a fork; pass --commit and --pull-request"));
    job.run.set_from_fork(true);
    return;
  }
  job.run.set_commit(At(event, {"pull_request", "head", "sha"}));
  job.run.set_pull_request(At(event, {"pull_request", "number"}));
  job.run.set_title(At(event, {"pull_request", "title"}));
  job.run.set_author(At(event, {"pull_request", "user", "login"}));
  // A deleted fork has no repository; an unknown repository counts as a fork.
  job.run.set_from_fork(At(event, {"pull_request", "head", "repo", "id"}).empty() ||
                        At(event, {"pull_request", "head", "repo", "id"}) !=
                            At(event, {"pull_request", "base", "repo", "id"}));
}

// A workflow_run event starts a job on the default branch. The job may check out the commit of the
// workflow that ended, which is often a fork's; then it is that commit's run.
void ReadGitHubWorkflowRun(const json& event, const GitCommand& git, CiJob& job) {
  const std::string commit = At(event, {"workflow_run", "head_sha"});
  if (commit.empty() || commit == job.run.commit()) return;
  const absl::StatusOr<CheckedOut> head = ReadCheckedOut(git);
  if (!head.ok() || (head->commit != commit && !head->OtherParent(commit))) return;
  job.run.set_commit(commit);
  job.run.set_branch(At(event, {"workflow_run", "head_branch"}));
  job.run.set_from_fork(At(event, {"workflow_run", "head_repository", "id"}) !=
                        At(event, {"workflow_run", "repository", "id"}));
  const json pulls = event["workflow_run"].value("pull_requests", json::array());
  if (pulls.is_array() && pulls.size() == 1) {
    job.run.set_pull_request(At(pulls[0], {"number"}));
    job.target_branch = At(pulls[0], {"base", "ref"});
  }
}

CiJob ReadGitHubActions(const RunSources& sources, const Variables& env) {
  CiJob job;
  job.system = "GitHub Actions";
  job.run.set_commit(env("GITHUB_SHA"));
  const std::string ref = env("GITHUB_REF");
  job.run.set_branch(BranchOfRef(ref));
  const absl::StatusOr<std::string> text = sources.read_file(env("GITHUB_EVENT_PATH"));
  json event = text.ok() ? json::parse(*text, nullptr, /*allow_exceptions=*/false) : json();
  if (!event.is_object()) event = json::object();
  if (!env("GITHUB_HEAD_REF").empty()) {
    job.run.set_branch(env("GITHUB_HEAD_REF"));
    job.target_branch = env("GITHUB_BASE_REF");
    if (absl::StartsWith(ref, "refs/pull/")) {
      const std::string number = WithoutPrefix(ref, "refs/pull/");
      job.run.set_pull_request(number.substr(0, number.find('/')));
    }
    ReadGitHubPullRequest(event, env("GITHUB_EVENT_PATH"), job);
  } else {
    ReadGitHubWorkflowRun(event, sources.git, job);
  }
  if (!env("GITHUB_RUN_ID").empty()) {
    job.run.set_ci_link(absl::StrCat(env("GITHUB_SERVER_URL"), "/", env("GITHUB_REPOSITORY"),
                                     "/actions/runs/", env("GITHUB_RUN_ID")));
    job.job_key = absl::StrCat("github-", env("GITHUB_RUN_ID"), "-", env("GITHUB_RUN_ATTEMPT"), "-",
                               env("GITHUB_JOB"));
  }
  return job;
}

CiJob ReadGitLab(const Variables& env) {
  CiJob job;
  job.system = "GitLab CI";
  job.run.set_commit(env("CI_COMMIT_SHA"));
  job.run.set_branch(BranchOr(env("CI_COMMIT_TAG"), env("CI_COMMIT_BRANCH")));
  job.run.set_ci_link(env("CI_JOB_URL"));
  if (!env("CI_JOB_ID").empty()) job.job_key = absl::StrCat("gitlab-", env("CI_JOB_ID"));
  if (env("CI_MERGE_REQUEST_IID").empty()) {
    job.target_branch = env("CI_DEFAULT_BRANCH");
    return job;
  }
  job.run.set_pull_request(env("CI_MERGE_REQUEST_IID"));
  job.run.set_title(env("CI_MERGE_REQUEST_TITLE"));
  job.run.set_branch(env("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME"));
  job.target_branch = env("CI_MERGE_REQUEST_TARGET_BRANCH_NAME");
  job.run.set_from_fork(env("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") !=
                        env("CI_MERGE_REQUEST_PROJECT_ID"));
  // A merge train's commit is what the target branch gets; nothing else is built or answered there.
  if (env("CI_MERGE_REQUEST_EVENT_TYPE") == "merge_train") {
    job.run.set_branch(absl::StrCat("refs/merge-requests/", env("CI_MERGE_REQUEST_IID"), "/train"));
    job.run.set_base_commit(env("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"));
    return job;
  }
  // Set in merged results pipelines only, where CI_COMMIT_SHA is a merge commit and another
  // variable has the source branch's head.
  if (!env("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA").empty()) {
    job.run.set_commit(env("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA"));
    job.run.set_base_commit(env("CI_MERGE_REQUEST_TARGET_BRANCH_SHA"));
  } else {
    job.run.set_base_commit(env("CI_MERGE_REQUEST_DIFF_BASE_SHA"));
  }
  return job;
}

CiJob ReadBuildkite(const Variables& env) {
  CiJob job;
  job.system = "Buildkite";
  // A build started by hand has the word HEAD here; git resolves it.
  if (env("BUILDKITE_COMMIT") != "HEAD") job.run.set_commit(env("BUILDKITE_COMMIT"));
  job.run.set_branch(BranchOr(env("BUILDKITE_TAG"), env("BUILDKITE_BRANCH")));
  job.run.set_ci_link(env("BUILDKITE_BUILD_URL"));
  job.target_branch = env("BUILDKITE_PIPELINE_DEFAULT_BRANCH");
  if (!env("BUILDKITE_JOB_ID").empty()) {
    job.job_key = absl::StrCat("buildkite-", env("BUILDKITE_JOB_ID"));
  }
  const std::string number = env("BUILDKITE_PULL_REQUEST");
  if (number.empty() || number == "false") return job;
  job.run.set_pull_request(number);
  if (!env("BUILDKITE_PULL_REQUEST_BASE_BRANCH").empty()) {
    job.target_branch = env("BUILDKITE_PULL_REQUEST_BASE_BRANCH");
  }
  // Buildkite writes one repository as git@host:a/b.git or https://host/a/b.git and the other as
  // git://host/a/b.git: only host and path are compared.
  const auto identity = [](const std::string& url) {
    std::string rest = WithoutCredentials(url);
    const size_t scheme = rest.find("://");
    if (scheme != std::string::npos) {
      rest = rest.substr(scheme + 3);
    } else if (const size_t colon = rest.find(':'); colon != std::string::npos) {
      rest[colon] = '/';
      rest = rest.substr(rest.find('@') == std::string::npos ? 0 : rest.find('@') + 1);
    }
    return std::string(absl::StripSuffix(rest, ".git"));
  };
  const std::string repository = env("BUILDKITE_PULL_REQUEST_REPO");
  job.run.set_from_fork(repository.empty() ||
                        identity(repository) != identity(env("BUILDKITE_REPO")));
  return job;
}

// Jenkins with the plugin Gerrit Trigger. A patch set is a commit of its own, below no branch.
CiJob ReadGerrit(const Variables& env) {
  CiJob job;
  job.system = "Gerrit";
  job.run.set_commit(env("GERRIT_PATCHSET_REVISION"));
  job.run.set_branch(env("GERRIT_BRANCH"));
  job.target_branch = env("GERRIT_BRANCH");
  job.run.set_pull_request(env("GERRIT_CHANGE_NUMBER"));
  job.run.set_title(env("GERRIT_CHANGE_SUBJECT"));
  job.run.set_author(env("GERRIT_CHANGE_OWNER_NAME"));
  job.run.set_ci_link(env("BUILD_URL"));
  job.job_key = env("BUILD_TAG");
  return job;
}

CiJob ReadJenkins(const Variables& env) {
  CiJob job;
  job.system = "Jenkins";
  job.run.set_commit(env("GIT_COMMIT"));
  job.commit_is_checked_out = true;
  job.run.set_branch(BranchOr(env("TAG_NAME"), env("BRANCH_NAME").empty()
                                                   ? WithoutPrefix(env("GIT_BRANCH"), "origin/")
                                                   : env("BRANCH_NAME")));
  // The git plugin's name of a checkout without a branch.
  if (job.run.branch() == "detached") job.run.clear_branch();
  job.run.set_ci_link(env("BUILD_URL"));
  if (!env("BUILD_TAG").empty()) job.job_key = env("BUILD_TAG");
  if (!env("CHANGE_ID").empty()) {
    job.run.set_pull_request(env("CHANGE_ID"));
    job.run.set_title(env("CHANGE_TITLE"));
    job.run.set_author(env("CHANGE_AUTHOR_DISPLAY_NAME").empty()
                           ? env("CHANGE_AUTHOR")
                           : env("CHANGE_AUTHOR_DISPLAY_NAME"));
    job.run.set_branch(env("CHANGE_BRANCH"));
    job.target_branch = env("CHANGE_TARGET");
    job.run.set_from_fork(!env("CHANGE_FORK").empty());
  }
  return job;
}

CiJob ReadAzurePipelines(const Variables& env) {
  CiJob job;
  job.system = "Azure Pipelines";
  job.run.set_commit(env("BUILD_SOURCEVERSION"));
  job.run.set_branch(BranchOfRef(env("BUILD_SOURCEBRANCH")));
  if (!env("BUILD_BUILDID").empty()) {
    job.run.set_ci_link(absl::StrCat(absl::StripSuffix(env("SYSTEM_COLLECTIONURI"), "/"), "/",
                                     env("SYSTEM_TEAMPROJECT"),
                                     "/_build/results?buildId=", env("BUILD_BUILDID")));
    job.job_key = absl::StrCat("azure-", env("BUILD_BUILDID"), "-", env("SYSTEM_JOBATTEMPT"), "-",
                               env("SYSTEM_JOBID"));
  }
  // GitHub's number; the other one is Azure's own identifier of it.
  job.run.set_pull_request(env("SYSTEM_PULLREQUEST_PULLREQUESTNUMBER").empty()
                               ? env("SYSTEM_PULLREQUEST_PULLREQUESTID")
                               : env("SYSTEM_PULLREQUEST_PULLREQUESTNUMBER"));
  if (job.run.pull_request().empty()) return job;
  // BUILD_SOURCEVERSION is a merge commit here.
  job.run.set_commit(env("SYSTEM_PULLREQUEST_SOURCECOMMITID"));
  job.run.set_branch(WithoutPrefix(env("SYSTEM_PULLREQUEST_SOURCEBRANCH"), "refs/heads/"));
  job.target_branch = WithoutPrefix(env("SYSTEM_PULLREQUEST_TARGETBRANCH"), "refs/heads/");
  job.run.set_from_fork(absl::EqualsIgnoreCase(env("SYSTEM_PULLREQUEST_ISFORK"), "true"));
  return job;
}

CiJob ReadCircleCi(const Variables& env) {
  CiJob job;
  job.system = "CircleCI";
  job.run.set_commit(env("CIRCLE_SHA1"));
  job.run.set_branch(BranchOr(env("CIRCLE_TAG"), env("CIRCLE_BRANCH")));
  job.run.set_ci_link(env("CIRCLE_BUILD_URL"));
  if (!env("CIRCLE_WORKFLOW_JOB_ID").empty()) {
    job.job_key = absl::StrCat("circleci-", env("CIRCLE_WORKFLOW_JOB_ID"));
  }
  const std::string pull = env("CIRCLE_PULL_REQUEST");  // its URL
  job.run.set_pull_request(pull.substr(pull.rfind('/') + 1));
  // Set in builds of forks only.
  job.run.set_from_fork(!env("CIRCLE_PR_USERNAME").empty() || !env("CIRCLE_PR_REPONAME").empty());
  return job;
}

}  // namespace

RunSources LocalSources(std::string workspace) {
  constexpr uint64_t kMaxEventBytes = 64 << 20;
  return {ProcessEnvironment(), GitIn(std::move(workspace)),
          [](const std::string& path) { return base::ReadFile(path, kMaxEventBytes); }};
}

bool IsCiVariable(absl::string_view name) {
  return std::binary_search(std::begin(kVariables), std::end(kVariables), name);
}

namespace {

// The job of a CI system that has variables; nullopt without one.
std::optional<CiJob> ReadVariables(const RunSources& sources) {
  const Variables env(sources.environment);
  if (env("GITHUB_ACTIONS") == "true") return ReadGitHubActions(sources, env);
  if (env("GITLAB_CI") == "true") return ReadGitLab(env);
  if (env("BUILDKITE") == "true") return ReadBuildkite(env);
  if (!env("GERRIT_CHANGE_NUMBER").empty()) return ReadGerrit(env);
  if (!env("JENKINS_URL").empty()) return ReadJenkins(env);
  if (env("TF_BUILD") == "True") return ReadAzurePipelines(env);
  if (env("CIRCLECI") == "true") return ReadCircleCi(env);
  return std::nullopt;
}

}  // namespace

std::string ShortText(absl::string_view text) {
  constexpr size_t kMostBytes = 500;  // a character has at most four
  std::string printable = base::Printable(text);
  return printable.size() <= kMostBytes ? printable : base::Shortened(printable, kMostBytes / 4);
}

std::optional<CiJob> ReadCiJob(const RunSources& sources) {
  std::optional<CiJob> job = ReadVariables(sources);
  if (!job.has_value()) return job;
  job->run.set_title(ShortText(job->run.title()));
  job->run.set_author(ShortText(job->run.author()));
  if (!job->run.pull_request().empty()) return job;
  // To every CI system but GitLab's, a group of a merge queue is a push to a branch of the queue.
  if (const auto group = base::ParseMergeQueueBranch(job->run.branch())) {
    job->run.set_pull_request(group->pull_request);
    job->run.set_base_commit(group->base_commit);
    job->target_branch = group->target_branch;
  }
  return job;
}

}  // namespace gprofhub::ci
