// The loop of a worker thread that does the jobs of a queue until it is stopped.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace gprofhub::base {

class WorkLoop {
 public:
  struct Waits {
    // Poll interval of an idle loop.
    absl::Duration poll;
    // Backoff after an error; doubles with each consecutive error, up to max_backoff.
    absl::Duration min_backoff;
    absl::Duration max_backoff;
    std::function<absl::Time()> now = absl::Now;
  };

  // Does one job; returns false if there is none.
  using Work = std::function<absl::StatusOr<bool>()>;
  // Called after an error, with the backoff.
  using OnError = std::function<void(const absl::Status& error, absl::Duration wait)>;

  explicit WorkLoop(const Waits& waits) : waits_(waits) {}

  // Works until Stop. Continues at once after a job, and after a wait if there was no job or an
  // error.
  void Run(const Work& work, const OnError& on_error);

  // All are thread-safe. Wake ends the wait for work, not the backoff.
  void Stop();
  void Wake();
  bool Stopping() const;

  // Duration of the current job; zero while the loop waits. For health checks that detect a stuck
  // worker.
  absl::Duration BusyFor() const;

 private:
  absl::StatusOr<bool> DoJob(const Work& work);
  void WaitForWork();
  void WaitAfterError(absl::Duration time);

  const Waits waits_;
  mutable std::mutex mutex_;  // guards all that follows
  std::condition_variable changed_;
  bool stopping_ = false;
  bool woken_ = false;
  absl::Time busy_since_ = absl::InfiniteFuture();  // infinite: idle
};

}  // namespace gprofhub::base
