#include "store.h"

void Store::Add(const std::string& key, uint64_t digest) { digests_[key] += digest; }

void Store::AddAll(const Batch& batch) {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [key, digest] : batch) Add(key, digest);
}

uint64_t Store::Sum() const {
  uint64_t sum = 0;
  for (const auto& [key, digest] : digests_) sum += digest;
  return sum;
}
