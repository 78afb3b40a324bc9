#include "collector/call_deadline.h"

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"

namespace gprofhub::collector {

struct CallDeadline::Shared {
  absl::Mutex mutex;
  grpc::ServerContext* call ABSL_GUARDED_BY(mutex);  // null once the call is over
};

CallDeadline::CallDeadline(grpc::ServerContext& call, absl::Duration time)
    : shared_(std::make_shared<Shared>()) {
  {
    absl::MutexLock lock(&shared_->mutex);
    shared_->call = &call;
  }
  alarm_.Set(absl::ToChronoTime(absl::Now() + time), [shared = shared_](bool expired) {
    absl::MutexLock lock(&shared->mutex);
    if (expired && shared->call != nullptr) shared->call->TryCancel();
  });
}

CallDeadline::~CallDeadline() {
  {
    absl::MutexLock lock(&shared_->mutex);
    shared_->call = nullptr;
  }
  alarm_.Cancel();
}

}  // namespace gprofhub::collector
