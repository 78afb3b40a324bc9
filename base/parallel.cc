#include "base/parallel.h"

#include <thread>

namespace gprofhub::base {

namespace {

bool HasSecondProcessor() { return std::thread::hardware_concurrency() >= 2; }

}  // namespace

void RunBoth(bool worth_a_thread, absl::FunctionRef<void()> first,
             absl::FunctionRef<void()> second) {
  if (!worth_a_thread || !HasSecondProcessor()) {
    first();
    second();
    return;
  }
  std::thread other([&] { second(); });
  first();
  other.join();
}

void ForBothHalves(size_t count, size_t worth_a_thread,
                   absl::FunctionRef<void(size_t begin, size_t end)> work) {
  if (count < 2) return work(0, count);
  RunBoth(
      count >= worth_a_thread, [&] { work(0, count / 2); }, [&] { work(count / 2, count); });
}

std::optional<size_t> OrderedItems::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (taken_ >= count_) return std::nullopt;
  return taken_++;
}

void OrderedItems::WaitForTurn(size_t item) {
  std::unique_lock<std::mutex> lock(mutex_);
  ended_.wait(lock, [&] { return turn_ == item; });
}

void OrderedItems::EndTurn(size_t item) {
  WaitForTurn(item);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++turn_;
  }
  ended_.notify_all();
}

void OrderedItems::Stop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  count_ = taken_;
}

void WorkInOrder(size_t count, absl::FunctionRef<void(OrderedItems& items)> work) {
  OrderedItems items(count);
  if (count < 2 || !HasSecondProcessor()) return work(items);
  std::thread second([&] { work(items); });
  work(items);
  second.join();
}

}  // namespace gprofhub::base
