// The queue of reports on pull requests: one job per run.
//
//   pending ──claim──▶ leased ──done──▶ done
//      ▲                 │  └──failed──▶ failed
//      └──again, or──────┘
//         analysed anew
//
// A report job comes into being, or is due once more, when the last analysis job
// of a run with a pull request ends, kReportDelay later: more of the run may be
// on its way. A run of sampled profiles has none.
//
// As in job_queue.h, (worker, attempts, claimed generation) names one claim. There
// is no dead letter: how long a forge that is down is waited for is the
// reporter's to say.
#pragma once

#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"

namespace gprofhub::store {

namespace sql {
class Database;
}

// A part of the store: store.h says what holds for all of them.
class ReportQueue {
 public:
  explicit ReportQueue(std::shared_ptr<sql::Database> database);

  // Gives the job that is due first, or whose lease has run out, to `worker`
  // until now + lease; nullopt if there is none.
  absl::StatusOr<std::optional<ReportJob>> Claim(absl::string_view worker, absl::Time now,
                                                 absl::Duration lease) const;

  // FAILED_PRECONDITION if the job is no longer this worker's.
  absl::Status ExtendLease(const ReportJob& job, absl::Time now, absl::Duration lease) const;

  // Ends this attempt. Where the run was analysed anew since the job was claimed,
  // it is pending again whatever the outcome. FAILED_PRECONDITION as above.
  absl::Status Finish(const ReportJob& job, const ReportOutcome& outcome, absl::Time now) const;

 private:
  std::shared_ptr<sql::Database> database_;
};

}  // namespace gprofhub::store
