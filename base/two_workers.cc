#include "base/two_workers.h"

#include <thread>

namespace gprofhub::base {

std::optional<size_t> Turns::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (taken_ >= count_) return std::nullopt;
  return taken_++;
}

void Turns::Wait(size_t item) {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_.wait(lock, [&] { return turn_ == item; });
}

void Turns::End(size_t item) {
  Wait(item);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++turn_;
  }
  ended_.notify_all();
}

void Turns::Stop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  count_ = taken_;
}

void InTurns(size_t count, absl::FunctionRef<void(Turns& turns)> work) {
  Turns turns(count);
  if (count < 2 || std::thread::hardware_concurrency() < 2) return work(turns);
  std::thread second([&] { work(turns); });
  work(turns);
  second.join();
}

}  // namespace gprofhub::base
