#include "reporter/forge/hooks/replay_memory.h"

namespace gprofhub::reporter {

void ReplayMemory::Forget(absl::Time now) {
  while (!by_age_.empty() && (by_age_.size() > most_ || by_age_.front().first + time_ <= now)) {
    keys_.erase(by_age_.front().second);
    by_age_.pop_front();
  }
}

bool ReplayMemory::Knows(absl::string_view key, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  Forget(now);
  return keys_.contains(std::string(key));
}

void ReplayMemory::Remember(absl::string_view key, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  if (keys_.insert(std::string(key)).second) by_age_.emplace_back(now, std::string(key));
  Forget(now);
}

}  // namespace gprofhub::reporter
