// A worker's lease of a job, in columns common to all queues.
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

// A clock that was ahead may have written times far in the future: a lease that ends more than a
// day from now ends now. No valid lease is that long. Runs when a claim finds no job, but not each
// time. Safe to use from several threads.
class FutureLeases {
 public:
  static constexpr absl::Duration kLookEvery = absl::Minutes(1);

  // Ends them, if that was not done within kLookEvery, or the clock has gone back.
  absl::Status EndSometimes(Session& session, absl::string_view table, absl::Time now);

 private:
  std::atomic<int64_t> looked_us_ = 0;  // 0: not yet
};

}  // namespace gprofhub::store::sql
