// Compares a run in the store with its baseline, or two runs with each other.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"
#include "reporter/queries/runs.h"
#include "store/reading.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// Chooses the baseline of a run: the mainline runs (no pull request, no fork) of counted profiles
// of the same project and configuration at the merge base, or otherwise at the nearest ancestor
// that has some; and a baseline window of runs of the ancestors before it, which shows how times
// vary. Never a run of the same commit.
//
// The base of a merge queue's group may be the group before it, which no other branch has yet: its
// runs count, too, but for groups alone.

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

// `found`: runs at BaselineCommits(run), in their order.
Baseline DescribeBaseline(const store::RunRecord& run, std::vector<store::RunRecord> found);

// Reads the store. Errors are the store's; no baseline is not an error.
absl::StatusOr<Baseline> ChooseBaseline(const store::Reading& reading, const store::RunRecord& run);

// The head consists of all runs of its commit, in its configuration and of its pull request:
// repetitions, target by target. A run that is compared with another run of its own commit is not
// merged.
//
// Targets whose binary is the base's, or whose result is the base's own from a cache, are listed
// but not compared: they did not change. Targets without a profile on one side are listed with the
// reason. Runs of sampled profiles are rejected. `memory`, if not null, caches reports of the same
// measurements. Errors as in reporter/queries/runs.h.
absl::StatusOr<v1::Report> CompareRuns(const store::Reading& reading, const BlobReader& blobs,
                                       const v1::CompareRequest& request,
                                       QueryMemory* memory = nullptr);

// Explains a finding of two runs in the store.

// Compares like CompareRuns, and returns the paths to the finding in the two compared runs. A side
// whose own run did not measure the target has no path. Errors are CompareRuns's and FindFinding's.
absl::StatusOr<v1::Explanation> ExplainFinding(const store::Reading& reading,
                                               const BlobReader& blobs,
                                               const v1::ExplainRequest& request);

// The same for a finding of a report from CompareRuns, which lists the compared runs. `memory` as
// in CompareRuns.
absl::StatusOr<v1::Explanation> ExplainIn(const store::Reading& reading, const BlobReader& blobs,
                                          const std::string& project, const v1::Report& report,
                                          const v1::Finding& finding,
                                          QueryMemory* memory = nullptr);

}  // namespace gprofhub::reporter
