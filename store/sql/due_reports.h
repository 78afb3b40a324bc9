// The step from the last analysis of a run to its report.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// Of two transactions that end the last two analysis jobs of a run, one must see
// that the other's has ended. So each locks the run (if it has a pull request)
// before it ends its job. Called first, for all take their locks in one order.
absl::Status LockRunOfReport(Session& session, const Dialect& dialect, int64_t run_id);

// Makes the run's report job, or makes it due once more, if the run has a pull
// request and no analysis job that is not ended.
absl::Status QueueReport(Session& session, int64_t run_id, absl::Time now);

}  // namespace gprofhub::store::sql
