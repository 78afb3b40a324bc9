#include "base/work_loop.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace gprofhub::base {

absl::Time MonotonicNow() {
  return absl::UnixEpoch() + absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

WorkLoop::WorkLoop(const Waits& waits, Work work, OnError on_error)
    : waits_(waits),
      work_(std::move(work)),
      on_error_(std::move(on_error)),
      thread_([this] { Run(); }) {}

WorkLoop::~WorkLoop() {
  Stop();
  thread_.join();
}

void WorkLoop::Run() {
  absl::Duration backoff = waits_.min_backoff;
  while (!stopping_.IsSet()) {
    const absl::StatusOr<bool> worked = DoJob();
    if (worked.ok()) {
      backoff = waits_.min_backoff;
      if (!*worked) WaitForWork();
    } else if (!stopping_.IsSet()) {
      on_error_(worked.status(), backoff);
      stopping_.WaitFor(backoff);
      backoff = std::min(2 * backoff, waits_.max_backoff);
    }
  }
}

absl::StatusOr<bool> WorkLoop::DoJob() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    busy_since_ = waits_.now();
  }
  absl::StatusOr<bool> worked = work_(stopping_);
  const std::lock_guard<std::mutex> lock(mutex_);
  busy_since_ = absl::InfiniteFuture();
  return worked;
}

absl::Duration WorkLoop::BusyFor() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::max(waits_.now() - busy_since_, absl::ZeroDuration());
}

void WorkLoop::Stop() {
  stopping_.Set();
  const std::lock_guard<std::mutex> lock(mutex_);
  changed_.notify_all();
}

void WorkLoop::Wake() {
  const std::lock_guard<std::mutex> lock(mutex_);
  woken_ = true;
  changed_.notify_all();
}

void WorkLoop::WaitForWork() {
  std::unique_lock<std::mutex> lock(mutex_);
  WaitFor(changed_, lock, waits_.poll, [this] { return stopping_.IsSet() || woken_; });
  woken_ = false;
}

void WorkLoops::Stop() {
  for (const auto& loop : loops_) loop->Stop();
}

void WorkLoops::Wake() {
  for (const auto& loop : loops_) loop->Wake();
}

absl::Duration WorkLoops::BusyFor() const {
  absl::Duration longest = absl::ZeroDuration();
  for (const auto& loop : loops_) longest = std::max(longest, loop->BusyFor());
  return longest;
}

}  // namespace gprofhub::base
