// Queues the report of a run after its last analysis.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Two transactions may end the last two analysis jobs of a run at the same time. One of them must
// see that the other's job has ended. So each locks the run, if it gets a report, before it ends
// its job. This must be called first: all transactions take their locks in one order.
absl::Status LockRunOfReport(Session& session, const Dialect& dialect, int64_t run_id);

// The span of a row of run (records/summaries.h), as an SQL expression. For runs in span 0 it may
// be negative.
inline constexpr absl::string_view kSpanOfRun = "(ordered_us - 345600000000) / 2419200000000";

// Increases the run's revision (records/history.h), and locks it as above. The counts of its
// targets (store/rows/run_counts.h) are invalid then, and the summary of its days is deleted
// (store/rows/summaries.h). For transactions that change the data of its targets; those that end a
// job call it first.
absl::Status ChangeRun(Session& session, int64_t run_id);

// If all analysis jobs of the run have ended: creates its report job, or makes it due again. It is
// due kReportDelay from now; at once, if the run's invocation has ended, or if FinishRun was called
// and no execution has arrived since. A run whose invocation is still running gets none
// (store/invocations/). A fork's run without a pull request has none.
absl::Status QueueReport(Session& session, int64_t run_id, absl::Time now);

// The run's targets are complete: their analyses need not wait for the debounce time
// (JobQueue::Claim).
absl::Status HurryJobs(Session& session, int64_t run_id);

// Declares the run complete: its targets are analysed without delay, and its report is due when the
// last analysis has ended. NOT_FOUND if the project has no such run.
absl::Status FinishRun(Session& session, absl::string_view project, int64_t run_id, absl::Time now);

// An execution is being added to the run. Increases its revision, as ChangeRun. As Session::Send.
absl::Status ReopenRun(Session& session, int64_t run_id);

}  // namespace gprofhub::store::sql
