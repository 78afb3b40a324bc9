// Extends a job's lease while its analysis runs.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "absl/time/time.h"
#include "base/end_flag.h"
#include "store/job_queue.h"

namespace gprofhub::analyzer {

// Extends the lease every `heartbeat` from a thread of its own, from
// construction to destruction.
class LeaseKeeper {
 public:
  // `jobs` and `job` outlive the keeper.
  LeaseKeeper(const store::JobQueue& jobs, const store::Job& job, absl::Duration lease,
              absl::Duration heartbeat, const std::function<absl::Time()>& now);
  ~LeaseKeeper();
  LeaseKeeper(const LeaseKeeper&) = delete;
  LeaseKeeper& operator=(const LeaseKeeper&) = delete;

  // Whether the store reported that the lease is lost: the job's result would be refused.
  bool Lost() const { return lost_; }

 private:
  void Beat();

  const store::JobQueue& jobs_;
  const store::Job& job_;
  const absl::Duration lease_;
  const absl::Duration heartbeat_;
  const std::function<absl::Time()> now_;
  base::EndFlag ending_;
  std::atomic<bool> lost_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace gprofhub::analyzer
