// The rows of gate_records.h that follow a report: rerun requests and culprits.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Profiles for results from Bazel's cache.

// Assigns to the cached execution `execution_id`, which came without profiles, those of an earlier
// execution that is the same measurement: of the same project, configuration, target, run number
// and shard, which passed and ran the same test binary. Where the binary is unknown, it is one of
// the same commit. Executions of the main line take precedence over those of pull requests, so that
// a pull request cannot replace a measurement; then the same commit, then the newest. Executions of
// forks serve their own pull request only.
//
// Returns the number of profiles found; 0: no such execution.
absl::StatusOr<uint32_t> FindCachedProfiles(Session& session, int64_t execution_id,
                                            const NewExecution& execution);

// Queues the report of a run after its last analysis.

// Two transactions may end the last two analysis jobs of a run at the same time. One of them must
// see that the other's job has ended. So each locks the run, if it gets a report, before it ends
// its job. This must be called first: all transactions take their locks in one order.
absl::Status LockRunOfReport(Session& session, const Dialect& dialect, int64_t run_id);

// The span of a row of run (records/summaries.h), as an SQL expression. For runs in span 0 it may
// be negative.
inline constexpr absl::string_view kSpanOfRun = "(ordered_us - 345600000000) / 2419200000000";

// Increases the run's revision (records/history.h), and locks it as above. The counts of its
// targets (store/rows/kept_changes.h) are invalid then, and the summary of its days is deleted
// (store/rows/summaries.h). For transactions that change the data of its targets; those that end a
// job call it first. `analysed`: one of the targets gets a result.
absl::Status ChangeRun(Session& session, int64_t run_id, bool analysed = false);

// If all analysis jobs of the run have ended: creates its report job, or makes it due again. It is
// due kReportDelay from now; at once, if the run's invocation has ended, or if FinishRun was called
// and no execution has arrived since. A run whose invocation is still running gets none
// (store/). A fork's run without a pull request has none.
absl::Status QueueReport(Session& session, int64_t run_id, absl::Time now);

// The run's targets are complete: their analyses need not wait for the debounce time
// (JobQueue::Claim).
absl::Status HurryJobs(Session& session, int64_t run_id);

// Declares the run complete: its targets are analysed without delay, and its report is due when the
// last analysis has ended. NOT_FOUND if the project has no such run.
absl::Status FinishRun(Session& session, absl::string_view project, int64_t run_id, absl::Time now);

// An execution is being added to the run. Increases its revision, as ChangeRun. As Session::Send.
absl::Status ReopenRun(Session& session, int64_t run_id);

// The methods of GateRecords, within a transaction.
absl::StatusOr<int64_t> AddRerunRequestIn(Session& session, const RerunRequestRecord& record);
absl::StatusOr<std::vector<RerunRequestRecord>> RerunRequestsOf(Session& session,
                                                                absl::string_view project,
                                                                absl::string_view pull_request);
absl::Status NoteStartIn(Session& session, int64_t id, RerunRequestRecord::Start start,
                         absl::string_view note);
absl::StatusOr<int64_t> AddCulpritIn(Session& session, const CulpritRecord& record,
                                     const Actor& by);
absl::StatusOr<std::vector<CulpritRecord>> CulpritsOf(Session& session, absl::string_view project);

}  // namespace gprofhub::store::sql
