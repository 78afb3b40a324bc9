// Queues the report of a run after its last analysis.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Locks a run that gets a report. Two transactions may end the last two analysis jobs of a run
// concurrently, and one of them must see the end of the other's job: each locks the run before it
// ends its job. Call this first, which keeps the order of locks.
absl::Status LockRunOfReport(Session& session, const Dialect& dialect, int64_t run_id);

// SQL expression: the span of a row of run (records/summaries.h). Runs in span 0 may get less.
inline constexpr absl::string_view kSpanOfRun = "(ordered_us - 345600000000) / 2419200000000";

// Increments the run's revision (records/history.h), and locks it as above. Invalidates the counts
// of its targets (store/rows/run_counts.h), and deletes the summary of its days
// (store/rows/summaries.h). For transactions that change results of its targets; those that end a
// job call this first.
absl::Status ChangeRun(Session& session, int64_t run_id);

// If all analysis jobs of the run have ended: creates its report job, or makes the job due again.
// It is due kReportDelay from now; at once, if the run's invocation has ended, or if no upload
// followed FinishRun. The run of an invocation in progress gets no report (store/invocations/), nor
// does a fork's run without a pull request.
absl::Status QueueReport(Session& session, int64_t run_id, absl::Time now);

// Declares the run's targets complete: their analyses do not wait for further uploads
// (JobQueue::Claim).
absl::Status HurryJobs(Session& session, int64_t run_id);

// Declares the run complete: its targets are analysed without delay, and its report is due when the
// last analysis has ended. NOT_FOUND if the project has no such run.
absl::Status FinishRun(Session& session, absl::string_view project, int64_t run_id, absl::Time now);

// Records that an upload extends the run: increments its revision, as ChangeRun. As Session::Send.
absl::Status ReopenRun(Session& session, int64_t run_id);

}  // namespace gprofhub::store::sql
