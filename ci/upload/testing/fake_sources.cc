#include "ci/upload/testing/fake_sources.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"

namespace gprofhub::ci {

std::string Hash(char digit) { return std::string(40, digit); }

std::string RevParse(const std::string& name) {
  return "rev-parse --verify --quiet --end-of-options " + name + "^{commit}";
}

RunSources FakeSources(Environment environment, GitAnswers answers,
                       std::map<std::string, std::string> files) {
  RunSources sources;
  sources.environment = std::move(environment);
  sources.git = [answers = std::move(answers)](
                    const std::vector<std::string>& words) -> absl::StatusOr<std::string> {
    const auto answer = answers.find(absl::StrJoin(words, " "));
    if (answers.empty()) return absl::FailedPreconditionError("git: fatal: not a git repository");
    if (answer == answers.end()) return absl::NotFoundError("git: no result");
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

GitAnswers Clone() {
  const auto history = [](char start) {
    return "rev-list --first-parent --max-count=101 " + Hash(start) + " --";
  };
  return {{"rev-parse --verify HEAD^{commit}", Hash('a')},
          {RevParse("HEAD"), Hash('a')},
          {"cat-file commit " + Hash('a'), "parent " + Hash('b') + "\n\nparent of nothing"},
          {history('d'), Hash('d')},
          {history('f'), Hash('f')},
          {"symbolic-ref --quiet --short HEAD", "feature"},
          {"symbolic-ref --quiet --short refs/remotes/origin/HEAD", "origin/main"},
          {RevParse("refs/remotes/origin/main"), Hash('f')},
          {"merge-base " + Hash('a') + " " + Hash('f'), Hash('b')},
          {history('b'), Hash('b') + "\n" + Hash('c')},
          {history('a'), Hash('a') + "\n" + Hash('b') + "\n" + Hash('c')},
          {"show --no-patch --format=%ct%n%an%n%s " + Hash('a') + " --",
           "1700000000\nA. Uthor\nParse each word once"},
          {"status --porcelain --untracked-files=no", ""}};
}

void CheckOut(const std::string& commit, const std::vector<std::string>& parents,
              GitAnswers& answers) {
  answers["rev-parse --verify HEAD^{commit}"] = commit;
  std::string text = "tree 1234\n";
  for (const std::string& parent : parents) text += "parent " + parent + "\n";
  answers["cat-file commit " + commit] = text + "\nmessage";
  answers.erase("symbolic-ref --quiet --short HEAD");
}

std::string GitHubEvent(const std::string& head_repository) {
  return R"({"pull_request": {"number": 17, "title": "Read faster", "user": {"login": "uthor"}, "head": {"sha": ")" +
         Hash('a') + R"(", "repo": )" + head_repository + R"(}, "base": {"repo": {"id": 1}}}})";
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

}  // namespace gprofhub::ci
