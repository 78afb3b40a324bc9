// Work shared by two threads: the rest of gprofhub never asks for more.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>

#include "absl/functional/function_ref.h"

namespace gprofhub::base {

// Calls both and returns when both have returned: at the same time if that is worth a
// thread and there is a second processor, else one after the other. Neither may throw.
void RunBoth(bool worth_a_thread, absl::FunctionRef<void()> first,
             absl::FunctionRef<void()> second);

// Calls `work` for either half of [0, count); for less than two items it calls it once. The
// halves run at the same time if there are `worth_a_thread` items or more, as RunBoth says.
void ForBothHalves(size_t count, size_t worth_a_thread,
                   absl::FunctionRef<void(size_t begin, size_t end)> work);

// Hands out the items 0, 1, … count-1 to several threads. Their results are taken in that
// order: each item has a turn, which begins when the turns of all items before it have
// ended. What is done in a turn happens after what was done in the turns before.
class OrderedItems {
 public:
  explicit OrderedItems(size_t count) : count_(count) {}
  OrderedItems(const OrderedItems&) = delete;

  // The next item, whose turn has to be ended; none if there are no more.
  std::optional<size_t> Take();
  // Waits for the turn of this item, which was taken.
  void WaitForTurn(size_t item);
  // Waits likewise, and ends the turn.
  void EndTurn(size_t item);
  // No more items are handed out.
  void Stop();

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  size_t count_;
  size_t taken_ = 0;
  size_t turn_ = 0;
};

// Calls `work` in two threads at once if there are items for two and a second processor,
// else in this one. `work` takes items until there are no more. It may not throw.
void WorkInOrder(size_t count, absl::FunctionRef<void(OrderedItems& items)> work);

}  // namespace gprofhub::base
