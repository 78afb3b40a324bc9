#include "base/work_loop.h"

#include <algorithm>

namespace gprofhub::base {

void WorkLoop::Run(const Work& work, const OnError& on_error) {
  absl::Duration backoff = waits_.min_backoff;
  while (!Stopping()) {
    const absl::StatusOr<bool> worked = work();
    if (worked.ok()) {
      backoff = waits_.min_backoff;
      if (!*worked) WaitForWork();
    } else if (!Stopping()) {
      on_error(worked.status(), backoff);
      WaitAfterError(backoff);
      backoff = std::min(2 * backoff, waits_.max_backoff);
    }
  }
}

void WorkLoop::Stop() {
  absl::MutexLock lock(&mutex_);
  stopping_ = true;
}

void WorkLoop::Wake() {
  absl::MutexLock lock(&mutex_);
  woken_ = true;
}

bool WorkLoop::Stopping() const {
  absl::MutexLock lock(&mutex_);
  return stopping_;
}

void WorkLoop::WaitForWork() {
  absl::MutexLock lock(&mutex_);
  const auto ready = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return stopping_ || woken_; };
  mutex_.AwaitWithTimeout(absl::Condition(&ready), waits_.poll);
  woken_ = false;
}

void WorkLoop::WaitAfterError(absl::Duration time) {
  absl::MutexLock lock(&mutex_);
  mutex_.AwaitWithTimeout(absl::Condition(&stopping_), time);
}

}  // namespace gprofhub::base
