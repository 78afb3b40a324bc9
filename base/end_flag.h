// A flag that is set once, and ends waits.
//
// The waits of absl::CondVar, absl::Mutex and absl::Notification end at a time of the real-time
// clock. If that clock is set back by an hour, a wait of a second takes an hour. These waits go by
// the monotonic clock, which nobody sets: std::condition_variable::wait_for does so since
// glibc 2.30 (pthread_cond_clockwait).
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "absl/time/time.h"

namespace gprofhub::base {

// Waits until `ready` says true, which it is asked with the lock held, or the time has gone. Gives
// what `ready` says then. Any time may be given, infinite ones too.
template <typename Ready>
bool WaitFor(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
             absl::Duration time, Ready ready) {
  constexpr absl::Duration kLongest = absl::Hours(24 * 365);
  return changed.wait_for(
      lock, absl::ToChronoNanoseconds(std::min(std::max(time, absl::ZeroDuration()), kLongest)),
      ready);
}

// Safe to use from several threads.
class EndFlag {
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
  // Waits so long, or until it is set. Gives whether it is.
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
