#include "collector/byte_budget.h"

namespace gprofhub::collector {

bool ByteBudget::Take(uint64_t bytes) {
  absl::MutexLock lock(&mutex_);
  if (bytes > free_) return false;
  free_ -= bytes;
  return true;
}

void ByteBudget::Give(uint64_t bytes) {
  absl::MutexLock lock(&mutex_);
  free_ += bytes;
}

bool ByteReservation::Grow(uint64_t bytes) {
  if (!budget_.Take(bytes)) return false;
  held_ += bytes;
  return true;
}

}  // namespace gprofhub::collector
