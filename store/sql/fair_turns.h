// Fair order of the analysis queue.
//
// A project that sends ten thousand jobs must not delay another project's single job. So a job gets
// a number, its turn, when it begins to wait, and jobs are claimed in the order of their turns. The
// jobs of one project have consecutive turns. A project without waiting jobs begins at the current
// turn of the queue. That is start-time fair queueing (Goyal, Vin and Cheng, IEEE/ACM Transactions
// on Networking 5(5), 1997) with jobs of equal size. A claim costs one lookup in an index,
// regardless of the number of waiting jobs.
//
// Column turn: 0 for a job that does not wait, or that an older program queued.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// An expression: the current turn of the queue, or the one after the last waiting job of the
// project that the expression `project` yields.
std::string NextTurn(absl::string_view project);

// Assigns the job's turn, if it waits without one.
absl::Status GiveTurnToJob(Session& session, int64_t job_id);

}  // namespace gprofhub::store::sql
