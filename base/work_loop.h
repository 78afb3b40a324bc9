// The loop of a thread that does jobs of a queue until it is told to stop.
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
    // How often an idle loop looks for work that nobody woke it for.
    absl::Duration poll;
    // After an error; doubles with each that follows, up to the second.
    absl::Duration min_backoff;
    absl::Duration max_backoff;
    std::function<absl::Time()> now = absl::Now;
  };

  // Does one job; false if there is none.
  using Work = std::function<absl::StatusOr<bool>()>;
  // Is told of an error and how long the loop now waits.
  using OnError = std::function<void(const absl::Status& error, absl::Duration wait)>;

  explicit WorkLoop(const Waits& waits) : waits_(waits) {}

  // Works until Stop: at once again after a job, after a wait without one or after an error.
  void Run(const Work& work, const OnError& on_error);

  // All are safe to call from any thread. Wake ends the wait for work, not the one after an error.
  void Stop();
  void Wake();
  bool Stopping() const;

  // How long the loop has been at the job that it does now; zero while it waits. For who watches
  // whether it gets on.
  absl::Duration BusyFor() const;

 private:
  absl::StatusOr<bool> DoJob(const Work& work);
  void WaitForWork();
  void WaitAfterError(absl::Duration time);

  const Waits waits_;
  mutable std::mutex mutex_;  // of all that follows
  std::condition_variable changed_;
  bool stopping_ = false;
  bool woken_ = false;
  absl::Time busy_since_ = absl::InfiniteFuture();  // then it is not
};

}  // namespace gprofhub::base
