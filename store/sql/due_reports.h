// The step from the last analysis of a run to its report.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Two transactions may end the last two analysis jobs of a run at the same time. One of them
// must see that the other's job has ended. So each locks the run, if it has a pull request,
// before it ends its job. This must be called first: all take their locks in one order.
absl::Status LockRunOfReport(Session& session, const Dialect& dialect, int64_t run_id);

// If the run has a pull request and all its analysis jobs have ended: makes its report job, or
// makes the job due once more.
absl::Status QueueReport(Session& session, int64_t run_id, absl::Time now);

}  // namespace gprofhub::store::sql
