// Which run a run is judged against: the newest mainline run (no pull request,
// no fork) of the same project and configuration at the merge base, or else at
// the nearest ancestor that has one. Never a run of the same commit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records.h"
#include "store/store.h"

namespace gprofhub {

// Where to look, nearest first: the merge base, then the ancestors the client
// named, without the run's own commit and without repetitions.
std::vector<std::string> BaselineCommits(const RunRecord& run);

// How far `commit` is from the run, in words: "merge base", "parent commit",
// "ancestor 3 commits before the merge base", "ancestor 3 commits before".
// `commit` is one of BaselineCommits(run).
std::string BaselineReason(const RunRecord& run, absl::string_view commit);

struct Baseline {
  std::optional<RunRecord> run;
  // BaselineReason, or why there is none: begins with "none".
  std::string reason;
};

Baseline DescribeBaseline(const RunRecord& run, std::optional<RunRecord> chosen);

// Reads the store. Errors are the store's; no baseline is not an error.
absl::StatusOr<Baseline> ChooseBaseline(Store& store, const RunRecord& run);

}  // namespace gprofhub
