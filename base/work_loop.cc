#include "base/work_loop.h"

#include <algorithm>

namespace gprofhub::base {

void WorkLoop::Run(const Work& work, const OnError& on_error) {
  absl::Duration backoff = waits_.min_backoff;
  while (!Stopping()) {
    const absl::StatusOr<bool> worked = DoJob(work);
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

absl::StatusOr<bool> WorkLoop::DoJob(const Work& work) {
  {
    absl::MutexLock lock(&mutex_);
    busy_since_ = waits_.now();
  }
  absl::StatusOr<bool> worked = work();
  absl::MutexLock lock(&mutex_);
  busy_since_ = absl::InfiniteFuture();
  return worked;
}

absl::Duration WorkLoop::BusyFor() const {
  absl::MutexLock lock(&mutex_);
  return std::max(waits_.now() - busy_since_, absl::ZeroDuration());
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
