#include "store/postgres/database_clock.h"

#include <chrono>

namespace gprofhub::store::postgres {
namespace {

constexpr absl::Duration kReadEvery = absl::Minutes(1);
// Maximum error from the round trip to the database.
constexpr absl::Duration kGrain = absl::Seconds(1);

absl::Duration SteadyTime() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

absl::Duration DatabaseClock::Skew() {
  const absl::Duration before = SteadyTime();
  const absl::Time here = here_();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const absl::Duration passed = before - read_at_;
    const bool was_set = absl::AbsDuration(here - here_then_ - passed) > kGrain;
    if (was_read_ && passed < kReadEvery && !was_set) return skew_;
  }
  const absl::StatusOr<absl::Time> there = there_();
  const absl::Duration taken = SteadyTime() - before;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!there.ok()) return skew_;
  const absl::Duration skew = *there - (here + taken / 2);
  if (absl::AbsDuration(skew - skew_) > kGrain + taken) skew_ = skew;
  was_read_ = true;
  read_at_ = before;
  here_then_ = here;
  return skew_;
}

}  // namespace gprofhub::store::postgres
