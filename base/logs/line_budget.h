// How many lines of a kind a log gets: some at once, then a few a second. So nobody who can cause
// such lines can fill the disk with them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace gprofhub::base {

// A token bucket. Safe to call from several threads.
class LineBudget {
 public:
  struct Options {
    uint32_t at_once = 50;
    absl::Duration each = absl::Seconds(1);  // after that one line in this time
  };

  explicit LineBudget(const Options& options)
      : options_(options), left_(static_cast<double>(options.at_once)) {}

  // Takes a line: how many were not written since the last one that was. nullopt: this one must not
  // be written, and is counted.
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
