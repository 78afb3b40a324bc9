// The queue of reports on pull requests: one job per run.
//
//   pending ──claim──▶ leased ──done──▶ done
//      ▲                 │  └──failed──▶ failed
//      └──again, or──────┘
//         analysed anew
//
// As in queue.h, (worker, attempts, claimed generation) names one claim. There
// is no dead letter: how long a forge that is down is waited for is the
// reporter's to say.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records.h"
#include "store/sql/database.h"

namespace gprofhub::sql {

// Of two transactions that end the last two analysis jobs of a run, one must see
// that the other's has ended. So each locks the run (if it has a pull request)
// before it ends its job. Called first, for all take their locks in one order.
absl::Status LockRunOfReport(Session& session, const Dialect& dialect, int64_t run_id);

// Makes the run's report job, or makes it due once more, if the run has a pull
// request and no analysis job that is not ended.
absl::Status QueueReport(Session& session, int64_t run_id, absl::Time now);

// As the Store's methods of these names.
absl::StatusOr<std::optional<ReportJob>> ClaimReportJob(Session& session, const Dialect& dialect,
                                                        absl::string_view worker, absl::Time now,
                                                        absl::Duration lease);
absl::Status ExtendReportLease(Session& session, const ReportJob& job, absl::Time now,
                               absl::Duration lease);
absl::Status FinishReportJob(Session& session, const ReportJob& job, const ReportOutcome& outcome,
                             absl::Time now);

}  // namespace gprofhub::sql
