// Numbers of pull requests, and the branches on which forges build the groups of merge queues.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::base {

// Whether `text` is the number of a pull request, merge request or change: 1 to 18 digits.
bool IsPullRequestNumber(absl::string_view text);

// A group: the commit that the target branch gets if its checks pass. Until then it is on this
// branch alone.
struct MergeGroup {
  std::string pull_request;   // the last one of the group, digits
  std::string target_branch;  // empty: the name does not have it
  std::string base_commit;    // empty: the name does not have it
};

// What the name of a group's branch says; nullopt for every other branch:
// "gh-readonly-queue/main/pr-17-<base commit>" of a merge queue of GitHub
// (docs.github.com, "Managing a merge queue"), and "refs/merge-requests/17/train" of a merge train
// of GitLab (docs.gitlab.com, "Merge trains").
std::optional<MergeGroup> ParseMergeQueueBranch(absl::string_view branch);

// Whether the branch is a group's.
inline bool IsMergeQueueBranch(absl::string_view branch) {
  return ParseMergeQueueBranch(branch).has_value();
}

}  // namespace gprofhub::base
