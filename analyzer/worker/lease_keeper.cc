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
  ending_.Set();
  thread_.join();
}

void LeaseKeeper::Beat() {
  const base::LogFields fields{{"request", job_.request}, {"run", absl::StrCat(job_.run_id)}};
  while (!ending_.WaitFor(heartbeat_)) {
    const absl::Status status = jobs_.ExtendLease(job_, now_(), lease_);
    if (status.ok()) continue;
    spdlog::warn("worker {}: lease of {} in run {} not extended: {}", job_.worker, job_.target,
                 job_.run_id, status.ToString());
    // Other errors may be transient; the next heartbeat tries again.
    if (!absl::IsFailedPrecondition(status)) continue;
    lost_ = true;
    return;
  }
}

}  // namespace gprofhub::analyzer
