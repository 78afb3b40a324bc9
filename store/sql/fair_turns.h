// Turns in the queue of analyses.
//
// A project that sends ten thousand jobs must not keep another one's single job waiting. So a job
// gets a number, its turn, when it begins to wait, and jobs are given in the order of their turns.
// The jobs of one project have turns one after the other. A project that has none waiting begins
// where the queue is now. That is start-time fair queueing (Goyal, Vin and Cheng, IEEE/ACM
// Transactions on Networking 5(5), 1997) with jobs of equal size. To give a job costs one look into
// an index, however many wait.
//
// Column turn: 0 for a job that does not wait, or that a program before this one queued.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// An expression: where the queue is now, or behind the last waiting job of the project that the
// expression `project` gives.
std::string NextTurn(absl::string_view project);

// Gives the job its turn, if it waits and has none.
absl::Status GiveTurnToJob(Session& session, int64_t job_id);

}  // namespace gprofhub::store::sql
