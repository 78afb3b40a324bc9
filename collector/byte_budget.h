// A bound on the bytes that all uploads in flight hold in memory together.
#pragma once

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace gprofhub::collector {

// Safe to call from several threads.
class ByteBudget {
 public:
  explicit ByteBudget(uint64_t bytes) : free_(bytes) {}

 private:
  friend class ByteReservation;
  bool Take(uint64_t bytes);
  void Give(uint64_t bytes);

  absl::Mutex mutex_;
  uint64_t free_ ABSL_GUARDED_BY(mutex_);
};

// One upload's part of the budget; goes back when this ends.
class ByteReservation {
 public:
  // `budget` outlives the reservation.
  explicit ByteReservation(ByteBudget& budget) : budget_(budget) {}
  ~ByteReservation() { budget_.Give(held_); }
  ByteReservation(const ByteReservation&) = delete;
  ByteReservation& operator=(const ByteReservation&) = delete;

  // Takes `bytes` more; false, and nothing taken, if the budget has less.
  bool Grow(uint64_t bytes);

 private:
  ByteBudget& budget_;
  uint64_t held_ = 0;
};

}  // namespace gprofhub::collector
