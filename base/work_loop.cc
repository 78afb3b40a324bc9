#include "base/work_loop.h"

#include <algorithm>

#include "base/stop_token.h"

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
    const std::lock_guard<std::mutex> lock(mutex_);
    busy_since_ = waits_.now();
  }
  absl::StatusOr<bool> worked = work();
  const std::lock_guard<std::mutex> lock(mutex_);
  busy_since_ = absl::InfiniteFuture();
  return worked;
}

absl::Duration WorkLoop::BusyFor() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::max(waits_.now() - busy_since_, absl::ZeroDuration());
}

void WorkLoop::Stop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

void WorkLoop::Wake() {
  const std::lock_guard<std::mutex> lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

bool WorkLoop::Stopping() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stopping_;
}

void WorkLoop::WaitForWork() {
  std::unique_lock<std::mutex> lock(mutex_);
  WaitFor(changed_, lock, waits_.poll, [this] { return stopping_ || woken_; });
  woken_ = false;
}

void WorkLoop::WaitAfterError(absl::Duration time) {
  std::unique_lock<std::mutex> lock(mutex_);
  WaitFor(changed_, lock, time, [this] { return stopping_; });
}

}  // namespace gprofhub::base
