#include "reporter/queries/baseline.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace gprofhub::reporter {
namespace {

// Further runs add little evidence of how times vary.
constexpr uint32_t kMostBaselineRuns = 12;

bool HasMergeBase(const store::RunRecord& run) {
  return !run.base_commit.empty() && run.base_commit != run.commit;
}

}  // namespace

std::vector<std::string> BaselineCommits(const store::RunRecord& run) {
  std::vector<std::string> commits;
  const auto add = [&](const std::string& commit) {
    if (commit.empty() || commit == run.commit) return;
    if (std::find(commits.begin(), commits.end(), commit) == commits.end()) {
      commits.push_back(commit);
    }
  };
  add(run.base_commit);
  for (const std::string& ancestor : run.ancestors) add(ancestor);
  return commits;
}

std::string BaselineReason(const store::RunRecord& run, absl::string_view commit) {
  const std::vector<std::string> commits = BaselineCommits(run);
  const size_t distance =
      static_cast<size_t>(std::find(commits.begin(), commits.end(), commit) - commits.begin());
  if (HasMergeBase(run)) {
    if (distance == 0) return "merge base";
    return absl::StrCat("ancestor ", distance, distance == 1 ? " commit" : " commits",
                        " before the merge base");
  }
  if (distance == 0) return "parent commit";
  return absl::StrCat("ancestor ", distance + 1, " commits before");
}

Baseline DescribeBaseline(const store::RunRecord& run, std::vector<store::RunRecord> found) {
  Baseline baseline;
  if (!found.empty()) {
    const std::string commit = found.front().commit;
    baseline.reason = BaselineReason(run, commit);
    for (store::RunRecord& record : found) {
      (record.commit == commit ? baseline.runs : baseline.window).push_back(std::move(record));
    }
    return baseline;
  }
  const size_t searched = BaselineCommits(run).size();
  if (searched == 0) {
    baseline.reason =
        "none: the upload named neither a merge base nor ancestors (a shallow clone?)";
  } else {
    baseline.reason = absl::StrCat("none: no run of the main branch in configuration \"",
                                   run.configuration, "\" at any of the ", searched,
                                   searched == 1 ? " commit" : " commits", " before this one");
  }
  return baseline;
}

absl::StatusOr<Baseline> ChooseBaseline(const store::Reading& reading,
                                        const store::RunRecord& run) {
  const std::vector<std::string> commits = BaselineCommits(run);
  if (commits.empty()) return DescribeBaseline(run, {});
  absl::StatusOr<std::vector<store::RunRecord>> found =
      reading.FindBaselineRuns(run.project, run.configuration, commits, kMostBaselineRuns);
  if (!found.ok()) return found.status();
  return DescribeBaseline(run, *std::move(found));
}

}  // namespace gprofhub::reporter
