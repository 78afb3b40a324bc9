#include "collector/calls/fair_share.h"

namespace gprofhub::collector {

bool FairShare::Take(const std::string& taker, uint64_t amount) {
  absl::MutexLock lock(&mutex_);
  const uint64_t free = total_ - taken_;
  if (amount > free) return false;
  const auto found = by_taker_.find(taker);
  const uint64_t held = found == by_taker_.end() ? 0 : found->second;
  if (held + amount > (free - amount) / parts_) return false;
  taken_ += amount;
  by_taker_[taker] = held + amount;
  return true;
}

void FairShare::Give(const std::string& taker, uint64_t amount) {
  absl::MutexLock lock(&mutex_);
  taken_ -= amount;
  const auto found = by_taker_.find(taker);
  found->second -= amount;
  if (found->second == 0) by_taker_.erase(found);
}

bool Holding::Take(const std::string& taker, uint64_t amount) {
  if (amount == 0) return true;
  if (!share_.Take(taker, amount)) return false;
  taker_ = taker;
  held_ += amount;
  return true;
}

void Holding::Release() {
  if (held_ > 0) share_.Give(taker_, held_);
  held_ = 0;
}

}  // namespace gprofhub::collector
