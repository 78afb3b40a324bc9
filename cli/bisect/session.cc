#include "cli/bisect/session.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/sha256.h"
#include "ci/upload/run/run_sources.h"
#include "cli/bisect/test_run.h"

namespace gprofhub::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kNameDigits = 12;

// Held until the process ends, however it ends.
absl::StatusOr<int> Lock(const std::string& folder) {
  const std::string path = folder + "/lock";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) {
    return absl::FailedPreconditionError(absl::StrCat(path, " cannot be written"));
  }
  if (flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  close(file);
  return absl::FailedPreconditionError(absl::StrCat("another `gprofhub bisect` works in ", folder,
                                                    "; wait for it, or name another --folder"));
}

std::string CountsText(const Measurement& measurement) {
  if (!measurement.skipped.empty()) return absl::StrCat("skipped: ", measurement.skipped);
  return absl::StrJoin(measurement.counts, " ", [](std::string* out, double count) {
    absl::StrAppend(out, CountText(count));
  });
}

}  // namespace

std::string DefaultBisectFolder(const std::string& workspace) {
  ci::Environment environment = ci::ProcessEnvironment();
  std::string cache = environment["XDG_CACHE_HOME"];
  if (cache.empty()) cache = environment["HOME"] + "/.cache";
  std::error_code error;
  const std::string path = fs::weakly_canonical(workspace, error).string();
  return absl::StrCat(cache, "/gprofhub/bisect/", base::Sha256Hex(path).substr(0, kNameDigits));
}

Session::Session(SessionOptions options, ci::GitCommand git, std::string prefix, int lock)
    : options_(std::move(options)), git_(std::move(git)), prefix_(std::move(prefix)), lock_(lock) {}

Session::Session(Session&& other) noexcept
    : options_(std::move(other.options_)),
      git_(std::move(other.git_)),
      prefix_(std::move(other.prefix_)),
      lock_(std::exchange(other.lock_, -1)),
      worktree_(std::exchange(other.worktree_, std::nullopt)),
      measured_(other.measured_) {}

Session::~Session() {
  // Before another session may create its own there.
  worktree_.reset();
  if (lock_ >= 0) close(lock_);
}

absl::StatusOr<Session> Session::Open(SessionOptions options) {
  ci::GitCommand git = ci::GitIn(options.workspace);
  absl::StatusOr<std::string> prefix = git({"rev-parse", "--show-prefix"});
  if (!prefix.ok()) return prefix.status();
  if (options.folder.empty()) options.folder = DefaultBisectFolder(options.workspace);
  std::error_code error;
  fs::create_directories(options.folder, error);
  // Git and Bazel run in other directories.
  options.folder = fs::absolute(options.folder).string();
  const absl::StatusOr<int> lock = Lock(options.folder);
  if (!lock.ok()) return lock.status();
  return Session(std::move(options), std::move(git), *std::move(prefix), *lock);
}

absl::StatusOr<Measurement> Session::MeasureCommit(const CommitLine& line,
                                                   const std::string& commit,
                                                   const Setting& setting, uint32_t runs) {
  if (options_.most_commits != 0 && measured_ >= options_.most_commits) {
    return absl::ResourceExhaustedError(
        absl::StrCat("as many commits as --commits allows are measured, ", measured_,
                     "; the same command goes on from here"));
  }
  ++measured_;
  const std::string folder = options_.folder + "/worktree";
  if (!worktree_.has_value()) {
    absl::StatusOr<Worktree> worktree = Worktree::Open(git_, folder);
    if (!worktree.ok()) return worktree.status();
    worktree_.emplace(*std::move(worktree));
  }
  const auto about = std::find_if(line.commits.begin(), line.commits.end(),
                                  [&](const Commit& one) { return one.hash == commit; });
  const std::string name = absl::StrCat(commit.substr(0, 12), " ", about->subject);
  options_.say(absl::StrCat("testing ", name));
  if (absl::Status status = worktree_->CheckOut(commit); !status.ok()) return status;
  const TestRun test = {options_.bazel, absl::StrCat(folder, "/", prefix_), options_.folder};
  absl::StatusOr<Measurement> measured = RunTest(test, setting, runs);
  if (measured.ok()) options_.say(absl::StrCat("  ", CountsText(*measured)));
  return measured;
}

absl::StatusOr<Bisection> Session::Search(const CommitLine& line, const Setting& setting) {
  const std::string path = absl::StrCat(options_.folder, "/", StateFileName(setting));
  if (options_.reset) {
    std::error_code error;
    fs::remove(path, error);
  }
  absl::StatusOr<State> state = ReadState(path, setting);
  if (!state.ok()) return state.status();
  const Measure measure = [&](const std::string& commit, uint32_t runs) {
    return MeasureCommit(line, commit, setting, runs);
  };
  std::vector<std::string> commits;
  for (const Commit& commit : line.commits) commits.push_back(commit.hash);
  return Bisect(commits, Remembered(path, *state, measure), {options_.repeat});
}

}  // namespace gprofhub::cli
