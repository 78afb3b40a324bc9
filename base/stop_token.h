// A flag that is set once, and ends waits.
//
// absl::CondVar, absl::Mutex and absl::Notification wait until a time of the real-time clock: if
// that clock is set back by an hour, a wait of one second takes an hour. The waits here use the
// monotonic clock: std::condition_variable::wait_for does so since glibc 2.30
// (pthread_cond_clockwait).
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "absl/time/time.h"

namespace gprofhub::base {

// Waits until `ready` returns true or the timeout expires. `ready` is called with the lock held.
// Returns the last result of `ready`. Any timeout is valid, including infinite ones.
template <typename Ready>
bool WaitFor(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
             absl::Duration time, Ready ready) {
  constexpr absl::Duration kLongest = absl::Hours(24 * 365);
  return changed.wait_for(
      lock, absl::ToChronoNanoseconds(std::min(std::max(time, absl::ZeroDuration()), kLongest)),
      ready);
}

// Thread-safe.
class StopToken {
 public:
  void Set() {
    const std::lock_guard<std::mutex> lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  bool IsSet() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return set_;
  }
  // Waits up to `time`. Returns whether the flag is set.
  bool WaitFor(absl::Duration time) const {
    std::unique_lock<std::mutex> lock(mutex_);
    return base::WaitFor(changed_, lock, time, [this] { return set_; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool set_ = false;
};

}  // namespace gprofhub::base
