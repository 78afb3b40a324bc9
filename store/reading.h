// Queries of the analysis and of the server: runs, targets, series of functions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"
#include "store/records/summaries.h"

namespace gprofhub::store {

namespace sql {
class Database;
}

// A part of the store: store.h documents what all parts guarantee.
class Reading {
 public:
  explicit Reading(std::shared_ptr<sql::Database> database);
  // The same for one call: nothing is read or written once `check` fails (sql::WithCheck).
  Reading WithCheck(std::function<absl::Status()> check) const;

  // NOT_FOUND.
  absl::StatusOr<RunRecord> ReadRun(int64_t run_id) const;

  // Newest first: by RunRecord::ordered, then by id, or, with the filter's by_arrival, by id alone.
  // The filter must name a project.
  absl::StatusOr<std::vector<RunRecord>> ListRuns(const RunFilter& filter) const;

  // The same runs in the same order, with the columns that a trend needs, and with their current
  // state.
  absl::StatusOr<std::vector<RunHead>> ListRunHeads(const RunFilter& filter) const;
  absl::StatusOr<std::vector<RunState>> ListRunStates(const RunFilter& filter) const;

  // The subjects of the runs' commits, by the run's id. Runs that are gone are left out.
  absl::StatusOr<absl::flat_hash_map<int64_t, std::string>> ListSubjects(
      const std::vector<int64_t>& runs) const;

  // The last value of ReportQueue::KeepChanges; nullopt if the branch has none. To check that it is
  // still valid, compare its runs with ListRunStates.
  absl::StatusOr<std::optional<KeptChanges>> ReadKeptChanges(const BranchKey& branch) const;

  // The branch's counted runs of the main line that are ordered in this span, newest first.
  absl::StatusOr<std::vector<RunHead>> ListSpanRuns(const BranchKey& branch, int64_t span) const;

  // The first span at or after `span` in which the branch has such runs; nullopt: none.
  absl::StatusOr<std::optional<int64_t>> NextSpanWithRuns(const BranchKey& branch,
                                                          int64_t span) const;

  // The stored summaries of days, the oldest span first; spans without a summary are left out.
  absl::StatusOr<std::vector<SpanSummary>> ReadSummaries(const SummaryQuery& query) const;

  // The projects that have runs, by name; at most `limit`.
  absl::StatusOr<std::vector<std::string>> ListProjects(uint32_t limit) const;

  // The project's main branch: the one that its forge names, else that of its setting
  // (ReportQueue::SetMainBranch), else that of most of the newest 1,000 runs of the main line, the
  // last used one of several. Empty without such a run.
  absl::StatusOr<std::string> FindMainBranch(absl::string_view project) const;

  // Runs of the main line (no pull request, no fork) with counted profiles: those of `commits` in
  // this configuration, at most `limit`, ordered by commit as given, the newest first within a
  // commit.
  absl::StatusOr<std::vector<RunRecord>> FindBaselineRuns(absl::string_view project,
                                                          absl::string_view configuration,
                                                          const std::vector<std::string>& commits,
                                                          uint32_t limit) const;

  // The first run of the project, in this configuration, whose own execution of the target produced
  // this computed profile; an empty list if all runs that have it took it from a cache.
  absl::StatusOr<std::vector<RunRecord>> FindMeasuringRun(absl::string_view project,
                                                          absl::string_view configuration,
                                                          absl::string_view target,
                                                          const BlobName& computed) const;

  // How often tests of the project were run again.
  absl::StatusOr<RerunCount> CountReruns(absl::string_view project) const;

  // By label. NOT_FOUND.
  absl::StatusOr<std::vector<TargetRecord>> ListTargets(int64_t run_id) const;

  // The same for each of these different runs, in one statement. A run that does not exist has no
  // targets.
  absl::StatusOr<std::vector<std::vector<TargetRecord>>> ListTargetsOfRuns(
      const std::vector<int64_t>& run_ids) const;

  // All executions of the run, by target, run number, shard and attempt; empty if the run does not
  // exist.
  absl::StatusOr<std::vector<ExecutionRecord>> ListExecutions(int64_t run_id) const;

  // One for each of the runs that is there, in their order.
  absl::StatusOr<std::vector<TargetCounts>> CountTargets(const std::vector<int64_t>& run_ids) const;

  // All that the analysis of a target reads: the last attempt of each run number and shard.
  // NOT_FOUND.
  absl::StatusOr<TargetData> ReadTargetData(int64_t run_id, absl::string_view target) const;

  // The points that the query asks for, by line (a target on a branch). `take`, if set, is called
  // with the size of the answer in bytes before any point is read, and again if the query is
  // repeated because a connection was lost. Its error is the result, and then no point is read.
  absl::StatusOr<std::vector<LinePoints>> ReadPoints(
      const PointQuery& query,
      const std::function<absl::Status(uint64_t bytes)>& take = nullptr) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
