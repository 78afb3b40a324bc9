// Work by two processors.
#pragma once

#include <cstddef>
#include <thread>

#include "absl/functional/function_ref.h"

namespace gprofhub::base {

// Calls both, at once if that is worth a thread and there is a second processor; returns
// when both have returned. Neither may throw.
inline void AtOnce(bool worth_a_thread, absl::FunctionRef<void()> first,
                   absl::FunctionRef<void()> second) {
  if (!worth_a_thread || std::thread::hardware_concurrency() < 2) {
    first();
    second();
    return;
  }
  std::thread other([&] { second(); });
  first();
  other.join();
}

// Calls `work` for either half of [0, count), at once if there are `worth_a_thread` items
// or more; for a single item, or none, once. As AtOnce.
inline void InHalves(size_t count, size_t worth_a_thread,
                     absl::FunctionRef<void(size_t begin, size_t end)> work) {
  if (count < 2) return work(0, count);
  AtOnce(
      count >= worth_a_thread, [&] { work(0, count / 2); }, [&] { work(count / 2, count); });
}

}  // namespace gprofhub::base
