#include "base/merge_queue.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "base/hash.h"

namespace gprofhub::base {

namespace {

constexpr absl::string_view kGitHub = "gh-readonly-queue/";
constexpr absl::string_view kGitLab = "refs/merge-requests/";

}  // namespace

bool IsPullRequestNumber(absl::string_view text) {
  return !text.empty() && text.size() <= 18 && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
}

std::optional<MergeGroup> ParseMergeQueueBranch(absl::string_view branch) {
  if (absl::ConsumePrefix(&branch, kGitLab)) {
    if (!absl::ConsumeSuffix(&branch, "/train") || !IsPullRequestNumber(branch))
      return std::nullopt;
    return MergeGroup{std::string(branch), "", ""};
  }
  if (!absl::ConsumePrefix(&branch, kGitHub)) return std::nullopt;
  // The target branch may have slashes, too.
  const size_t slash = branch.rfind("/pr-");
  if (slash == 0 || slash == absl::string_view::npos) return std::nullopt;
  const absl::string_view rest = branch.substr(slash + 4);
  const size_t dash = rest.find('-');
  if (dash == absl::string_view::npos || !IsPullRequestNumber(rest.substr(0, dash)) ||
      !IsCommitHash(rest.substr(dash + 1))) {
    return std::nullopt;
  }
  return MergeGroup{std::string(rest.substr(0, dash)), std::string(branch.substr(0, slash)),
                    std::string(rest.substr(dash + 1))};
}

}  // namespace gprofhub::base
