#include "analyzer/worker/lease_keeper.h"

#include <spdlog/spdlog.h>

#include "absl/strings/str_cat.h"
#include "base/logs/log_fields.h"

namespace gprofhub::analyzer {

LeaseKeeper::LeaseKeeper(const store::JobQueue& jobs, const store::Job& job, absl::Duration lease,
                         absl::Duration heartbeat, const std::function<absl::Time()>& now)
    : jobs_(jobs), job_(job), lease_(lease), heartbeat_(heartbeat), now_(now), thread_([this] {
        Beat();
      }) {}

LeaseKeeper::~LeaseKeeper() {
  {
    absl::MutexLock lock(&mutex_);
    ending_ = true;
  }
  thread_.join();
}

bool LeaseKeeper::Lost() {
  absl::MutexLock lock(&mutex_);
  return lost_;
}

void LeaseKeeper::Beat() {
  const base::LogFields fields{{"request", job_.request}, {"run", absl::StrCat(job_.run_id)}};
  while (true) {
    {
      absl::MutexLock lock(&mutex_);
      if (mutex_.AwaitWithTimeout(absl::Condition(&ending_), heartbeat_)) return;
    }
    const absl::Status status = jobs_.ExtendLease(job_, now_(), lease_);
    if (status.ok()) continue;
    spdlog::warn("worker {}: lease of {} in run {} not extended: {}", job_.worker, job_.target,
                 job_.run_id, status.ToString());
    // Anything but this may pass; the next beat tries again.
    if (!absl::IsFailedPrecondition(status)) continue;
    absl::MutexLock lock(&mutex_);
    lost_ = true;
    return;
  }
}

}  // namespace gprofhub::analyzer
