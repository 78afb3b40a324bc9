// Work by two processors.
#pragma once

#include <cstddef>
#include <thread>

#include "absl/functional/function_ref.h"

namespace gprofhub {

// Calls `work` for [0, count), or at once for either half of it if there are
// `worth_a_thread` items or more and a second processor; returns when both have
// returned. `work` must not throw.
inline void InHalves(size_t count, size_t worth_a_thread,
                     absl::FunctionRef<void(size_t begin, size_t end)> work) {
  if (count < worth_a_thread || count < 2 || std::thread::hardware_concurrency() < 2) {
    work(0, count);
    return;
  }
  std::thread second([&] { work(count / 2, count); });
  work(0, count / 2);
  second.join();
}

// Calls both, at once if that is worth a thread and there is a second processor; returns
// when both have returned. Neither may throw.
inline void AtOnce(bool worth_a_thread, absl::FunctionRef<void()> first,
                   absl::FunctionRef<void()> second) {
  InHalves(2, worth_a_thread ? 2 : 3, [&](size_t begin, size_t end) {
    if (begin == 0) first();
    if (end == 2) second();
  });
}

}  // namespace gprofhub
