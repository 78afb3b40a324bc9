// The user's git repository, as far as a search needs it. The user's checkout is never modified.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ci/upload/run/git.h"

namespace gprofhub::cli {

struct Commit {
  std::string hash;  // full
  std::string author;
  std::string date;  // of the commit, YYYY-MM-DD
  std::string subject;
};

// A line of commits in which something changed.
struct CommitLine {
  std::vector<Commit> commits;  // oldest first: the base, then the first parents up to the head
  // The given base is not an ancestor of the head, and `commits` begins with the merge base.
  bool from_merge_base = false;
};

// The base and the head of "BASE..HEAD" or "BASE.."; then the head is HEAD. INVALID_ARGUMENT.
struct Range {
  std::string base;
  std::string head;
};
absl::StatusOr<Range> ParseRange(absl::string_view text);

// FAILED_PRECONDITION if git does not know a commit (in a shallow clone, for example), or all
// commits of the head are in the base.
absl::StatusOr<CommitLine> ReadLine(const ci::GitCommand& git, const Range& range);

// A working tree next to the user's, in which the commits are checked out one after the other.
class Worktree {
 public:
  // Creates `folder`, or takes it over from an interrupted bisection. FAILED_PRECONDITION.
  static absl::StatusOr<Worktree> Open(ci::GitCommand repository, const std::string& folder);

  Worktree(Worktree&&) = default;
  Worktree& operator=(Worktree&&) = default;
  // Removes the working tree. Build outputs stay in Bazel's own cache.
  ~Worktree();

  // Checks the commit out, with its submodules.
  absl::Status CheckOut(const std::string& commit) const;

 private:
  Worktree(ci::GitCommand repository, std::string folder);

  ci::GitCommand repository_;
  std::string folder_;
};

}  // namespace gprofhub::cli
