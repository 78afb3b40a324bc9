// Chooses the baseline of a run: the mainline runs (no pull request, no fork) of counted profiles
// of the same project and configuration at the merge base, or otherwise at the nearest ancestor
// that has some; and a baseline window of runs of the ancestors before it, which shows how times
// vary. Never a run of the same commit.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/reading.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// Candidate commits, nearest first: the merge base, then the ancestors from the client, without the
// run's own commit and without duplicates.
std::vector<std::string> BaselineCommits(const store::RunRecord& run);

// Distance of `commit` from the run, as text: "merge base", "parent commit", "ancestor 3 commits
// before the merge base", "ancestor 3 commits before". `commit` is one of BaselineCommits(run).
std::string BaselineReason(const store::RunRecord& run, absl::string_view commit);

struct Baseline {
  // All of one commit, newest first.
  std::vector<store::RunRecord> runs;
  // Of commits before that one, nearest first.
  std::vector<store::RunRecord> window;
  // BaselineReason, or why there is no baseline: begins with "none".
  std::string reason;
};

// `found`: mainline runs at BaselineCommits(run), in their order.
Baseline DescribeBaseline(const store::RunRecord& run, std::vector<store::RunRecord> found);

// Reads the store. Errors are the store's; no baseline is not an error.
absl::StatusOr<Baseline> ChooseBaseline(const store::Reading& reading, const store::RunRecord& run);

}  // namespace gprofhub::reporter
