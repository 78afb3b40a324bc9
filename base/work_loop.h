// Worker threads that do the jobs of a queue until they are stopped.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/stop_token.h"

namespace gprofhub::base {

// The time by a clock that nobody sets, for durations within this process. Its epoch is arbitrary.
absl::Time MonotonicNow();

// A thread that repeats one piece of work, from construction to destruction.
class WorkLoop {
 public:
  struct Waits {
    // Poll interval of an idle loop.
    absl::Duration poll = absl::Seconds(1);
    // Backoff after an error; doubles with each consecutive error, up to max_backoff.
    absl::Duration min_backoff = absl::Seconds(1);
    absl::Duration max_backoff = absl::Minutes(1);
    std::function<absl::Time()> now = MonotonicNow;
  };

  // Does one job; returns false if there is none. A long job ends early once `stopping` is set.
  using Work = std::function<absl::StatusOr<bool>(const StopToken& stopping)>;
  // Called after an error, with the backoff.
  using OnError = std::function<void(const absl::Status& error, absl::Duration wait)>;

  // Continues at once after a job, and after a wait if there was no job or an error. Errors of a
  // job that ends while the loop stops are not reported. The thread calls `work` and `on_error`.
  WorkLoop(
      const Waits& waits, Work work, OnError on_error = [](const absl::Status&, absl::Duration) {});
  // Stops, and waits for the current job.
  ~WorkLoop();
  WorkLoop(const WorkLoop&) = delete;
  WorkLoop& operator=(const WorkLoop&) = delete;

  // All are thread-safe. Stop does not wait. Wake ends the wait for work, not the backoff.
  void Stop();
  void Wake();

  // Duration of the current job; zero while the loop waits. For health checks that detect a stuck
  // worker.
  absl::Duration BusyFor() const;

 private:
  void Run();
  absl::StatusOr<bool> DoJob();
  void WaitForWork();

  const Waits waits_;
  const Work work_;
  const OnError on_error_;
  StopToken stopping_;
  mutable std::mutex mutex_;         // guards woken_ and busy_since_
  std::condition_variable changed_;  // woken_ or stopping_
  bool woken_ = false;
  absl::Time busy_since_ = absl::InfiniteFuture();  // infinite: idle
  std::thread thread_;                              // last: it uses all of the above
};

// Loops that are woken and stopped together. Their destructor stops all before it waits for one.
class WorkLoops {
 public:
  WorkLoops() = default;
  ~WorkLoops() { Stop(); }
  WorkLoops(const WorkLoops&) = delete;
  WorkLoops& operator=(const WorkLoops&) = delete;

  // Not thread-safe; the other members are.
  void Add(std::unique_ptr<WorkLoop> loop) { loops_.push_back(std::move(loop)); }

  void Stop();
  void Wake();
  // The longest of all loops' current jobs.
  absl::Duration BusyFor() const;

 private:
  std::vector<std::unique_ptr<WorkLoop>> loops_;
};

}  // namespace gprofhub::base
