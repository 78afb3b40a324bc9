// A worker's lease on a job. All queues keep it in the same columns.
#pragma once

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// A claim. Valid while the job is leased to this worker, in this attempt, for this generation.
struct Claim {
  absl::string_view table;  // "job", "report_job" or "notification"
  int64_t job_id = 0;
  absl::string_view worker;
  uint32_t attempts = 0;
  int64_t generation = 0;
};

// Sets the end of the lease. Returns `lost`, without a change, if the claim is no longer valid.
absl::Status ExtendLease(Session& session, const Claim& claim, absl::Time until,
                         const absl::Status& lost);

// Ends leases that a clock which was ahead set to more than a day from now; no valid lease is that
// long. Workers without work call this; most calls return at once. Thread-safe.
class FutureLeases {
 public:
  static constexpr absl::Duration kLookEvery = absl::Minutes(1);

  // Ends them, unless that was done within kLookEvery and the clock did not go back.
  absl::Status EndSometimes(Session& session, absl::string_view table, absl::Time now);

 private:
  std::atomic<int64_t> looked_us_ = 0;  // 0: not yet
};

}  // namespace gprofhub::store::sql
