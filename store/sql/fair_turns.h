// Fair order of the analysis queue.
//
// Ten thousand jobs of one project must not delay the single job of another one. This is start-time
// fair queueing (Goyal, Vin and Cheng, IEEE/ACM Transactions on Networking 5(5), 1997) with jobs of
// equal size: a job gets a number, its turn, when it becomes pending, and workers claim jobs in the
// order of turns. The pending jobs of a project have consecutive turns; a project without pending
// jobs starts at the current turn of the queue. A claim costs one index look-up, whatever the
// length of the queue.
//
// Column turn: 0 for a job that is not pending.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// SQL expression: the current turn of the queue, or the turn after the last pending job of the
// project, which the expression `project` names.
std::string NextTurn(absl::string_view project);

// Sets the turn of a pending job without one.
absl::Status GiveTurnToJob(Session& session, int64_t job_id);

}  // namespace gprofhub::store::sql
