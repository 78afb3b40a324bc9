// Replay protection: accepts each request once.
#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace gprofhub::reporter {

// Remembers requests for a time, up to a maximum number: the oldest are evicted. Thread-safe.
class ReplayMemory {
 public:
  ReplayMemory(size_t most, absl::Duration time) : most_(most), time_(time) {}

  bool Knows(absl::string_view key, absl::Time now);
  void Remember(absl::string_view key, absl::Time now);

 private:
  void Forget(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const size_t most_;
  const absl::Duration time_;
  absl::Mutex mutex_;
  std::set<std::string> keys_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::pair<absl::Time, std::string>> by_age_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace gprofhub::reporter
