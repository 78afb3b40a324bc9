// Rate limit for log lines of one kind: a burst, then a few lines per second. It keeps clients that
// can cause such lines from filling the disk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace gprofhub::base {

// A token bucket. Thread-safe.
class LineBudget {
 public:
  struct Options {
    uint32_t at_once = 50;
    absl::Duration each = absl::Seconds(1);  // refill interval of one line
  };

  explicit LineBudget(const Options& options)
      : options_(options), left_(static_cast<double>(options.at_once)) {}

  // Takes a token. Returns the number of lines suppressed since the last one written; nullopt if
  // this line is suppressed, too.
  std::optional<uint64_t> Take(absl::Time now) {
    absl::MutexLock lock(&mutex_);
    if (now > filled_) {
      left_ = std::min<double>(options_.at_once,
                               left_ + absl::FDivDuration(now - filled_, options_.each));
      filled_ = now;
    }
    if (left_ < 1) {
      ++untold_;
      return std::nullopt;
    }
    left_ -= 1;
    return std::exchange(untold_, 0);
  }

 private:
  const Options options_;
  absl::Mutex mutex_;
  double left_ ABSL_GUARDED_BY(mutex_);
  absl::Time filled_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  uint64_t untold_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace gprofhub::base
