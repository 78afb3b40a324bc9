// Token bucket rate limiter.
//
// The bucket starts full, holds at most `capacity`, and refills at a constant rate of `capacity`
// per `period`. So at most twice the capacity is used in any one period, and the long-term rate is
// at most the capacity per period. Source: J. Turner, "New Directions in Communications (or Which
// Way to the Information Age?)", IEEE Communications Magazine 24(10), 1986.
#pragma once

#include <algorithm>
#include <cstdint>

#include "absl/time/time.h"

namespace gprofhub::collector {

// Not thread-safe. `now` is monotonic; an earlier `now` counts as no time passed.
class TokenBucket {
 public:
  // `capacity` and `period` above 0. Full at `now`.
  TokenBucket(uint64_t capacity, absl::Duration period, absl::Time now)
      : capacity_(static_cast<double>(capacity)),
        period_(period),
        level_(capacity_),
        filled_(now) {}

  // How long until `amount` can be taken: zero if it can be now, infinite if it never can.
  absl::Duration Wait(uint64_t amount, absl::Time now) {
    Fill(now);
    const double asked = static_cast<double>(amount);
    if (asked > capacity_) return absl::InfiniteDuration();
    if (asked <= level_ + kRounding) return absl::ZeroDuration();
    return absl::Ceil(period_ * (asked - level_) / capacity_, absl::Milliseconds(1));
  }

  // Requires that Wait returned zero for the amount.
  void Take(uint64_t amount) { level_ = std::max(0.0, level_ - static_cast<double>(amount)); }
  // Returns an amount that was taken and not used.
  void GiveBack(uint64_t amount) {
    level_ = std::min(capacity_, level_ + static_cast<double>(amount));
  }

  // Changes the capacity and keeps the usage.
  void Resize(uint64_t capacity, absl::Time now) {
    Fill(now);
    const double used = capacity_ - level_;
    capacity_ = static_cast<double>(capacity);
    level_ = std::max(0.0, capacity_ - used);
  }

 private:
  static constexpr double kRounding = 1e-6;

  void Fill(absl::Time now) {
    if (now <= filled_) return;
    level_ = std::min(capacity_, level_ + capacity_ * absl::FDivDuration(now - filled_, period_));
    filled_ = now;
  }

  double capacity_;
  absl::Duration period_;
  double level_;
  absl::Time filled_;
};

}  // namespace gprofhub::collector
