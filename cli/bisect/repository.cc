#include "cli/bisect/repository.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace gprofhub::cli {
namespace {

// Separator of the fields of a commit: not contained in git's texts.
constexpr char kFieldEnd = '\x1f';
constexpr char kFormat[] = "--format=%H%x1f%an%x1f%cs%x1f%s";
// Disables hooks: they are made for the users' working trees, not for a temporary one.
constexpr char kNoHooks[] = "core.hooksPath=/dev/null";

absl::StatusOr<Commit> ParseCommit(absl::string_view line) {
  const std::vector<std::string> fields = absl::StrSplit(line, absl::MaxSplits(kFieldEnd, 3));
  if (fields.size() != 4) return absl::InternalError(absl::StrCat("git said: ", line));
  return Commit{fields[0], fields[1], fields[2], fields[3]};
}

absl::StatusOr<std::string> HashOf(const ci::GitCommand& git, const std::string& name) {
  absl::StatusOr<std::string> hash =
      git({"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  if (!absl::IsFailedPrecondition(hash.status())) return hash;
  return absl::FailedPreconditionError(
      absl::StrCat("git knows no commit ", name,
                   "; in a shallow clone, fetch the whole history (git fetch --unshallow)"));
}

}  // namespace

absl::StatusOr<Range> ParseRange(absl::string_view text) {
  const size_t dots = text.find("..");
  if (dots == 0 || dots == absl::string_view::npos || absl::StrContains(text, "...")) {
    return absl::InvalidArgumentError(absl::StrCat(text, ": a range is BASE..HEAD"));
  }
  Range range = {std::string(text.substr(0, dots)), std::string(text.substr(dots + 2))};
  if (range.head.empty()) range.head = "HEAD";
  return range;
}

absl::StatusOr<CommitLine> ReadLine(const ci::GitCommand& git, const Range& range) {
  const absl::StatusOr<std::string> base = HashOf(git, range.base);
  if (!base.ok()) return base.status();
  const absl::StatusOr<std::string> head = HashOf(git, range.head);
  if (!head.ok()) return head.status();
  const absl::StatusOr<std::string> common = git({"merge-base", *base, *head});
  if (!common.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat(range.base, " and ", range.head, " have no commit in common"));
  }
  CommitLine line;
  line.from_merge_base = *common != *base;
  absl::StatusOr<std::string> log = git({"log", "-1", kFormat, *common});
  if (!log.ok()) return log.status();
  absl::StatusOr<Commit> first = ParseCommit(*log);
  if (!first.ok()) return first.status();
  line.commits.push_back(*std::move(first));
  log = git({"log", "--first-parent", "--reverse", kFormat, absl::StrCat(*common, "..", *head)});
  if (!log.ok()) return log.status();
  for (const absl::string_view text : absl::StrSplit(*log, '\n', absl::SkipEmpty())) {
    absl::StatusOr<Commit> commit = ParseCommit(text);
    if (!commit.ok()) return commit.status();
    line.commits.push_back(*std::move(commit));
  }
  if (line.commits.size() < 2) {
    return absl::FailedPreconditionError(
        absl::StrCat(range.head, " has no commit that ", range.base, " has not"));
  }
  return line;
}

Worktree::Worktree(ci::GitCommand repository, std::string folder)
    : repository_(std::move(repository)), folder_(std::move(folder)) {}

absl::StatusOr<Worktree> Worktree::Open(ci::GitCommand repository, const std::string& folder) {
  // Leftovers of a killed bisection, known to git or not.
  (void)repository({"worktree", "remove", "--force", folder});
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  (void)repository({"worktree", "prune"});
  absl::StatusOr<std::string> made = repository(
      {"-c", kNoHooks, "worktree", "add", "--force", "--detach", "--quiet", folder, "HEAD"});
  if (!made.ok()) return made.status();
  return Worktree(std::move(repository), folder);
}

Worktree::~Worktree() {
  if (repository_ == nullptr) return;  // moved from
  (void)repository_({"worktree", "remove", "--force", folder_});
}

absl::Status Worktree::CheckOut(const std::string& commit) const {
  const ci::GitCommand git = ci::GitIn(folder_);
  absl::StatusOr<std::string> done =
      git({"-c", kNoHooks, "checkout", "--quiet", "--force", "--detach", commit});
  if (!done.ok()) return done.status();
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::path(folder_) / ".gitmodules", error)) {
    return absl::OkStatus();
  }
  return git({"submodule", "--quiet", "update", "--init", "--recursive", "--force"}).status();
}

}  // namespace gprofhub::cli
