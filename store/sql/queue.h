// The queue of analysis jobs: one job per target of a run.
//
//   pending ──claim──▶ leased ──complete──▶ done
//      ▲                 │  │
//      └──retry, or more─┘  └─fail, or too many attempts──▶ failed
//         data arrived
//
// A job's generation grows with every execution that arrives for its target;
// attempts are counted per generation. (worker, attempts, claimed generation)
// names one claim: who holds an older one has lost the job.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records.h"
#include "store/sql/database.h"

namespace gprofhub::sql {

// As the Store's methods of these names.
absl::StatusOr<std::optional<Job>> ClaimJob(Session& session, const Dialect& dialect,
                                            absl::string_view worker, absl::Time now,
                                            absl::Duration lease, uint32_t max_attempts);
absl::Status ExtendLease(Session& session, const Job& job, absl::Time now, absl::Duration lease);
absl::Status CompleteJob(Session& session, const Dialect& dialect, const Job& job,
                         const AnalysisResult& result, absl::Time now);
absl::Status FailJob(Session& session, const Dialect& dialect, const Job& job,
                     absl::string_view error, bool retry, absl::Time now);

// FAILED_PRECONDITION if the job is no longer this worker's; with
// Dialect::for_update as `lock`, it stays so until the transaction ends.
absl::Status CheckClaim(Session& session, absl::string_view lock, const Job& job);

}  // namespace gprofhub::sql
