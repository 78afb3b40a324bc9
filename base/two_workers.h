// Work by two processors on items whose results are taken in order.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>

#include "absl/functional/function_ref.h"

namespace gprofhub::base {

// Which of the items 0, 1, … count-1 are at work, and which one's turn it is. What is done
// in an item's turn happens after what was done in the turns before.
class Turns {
 public:
  explicit Turns(size_t count) : count_(count) {}
  Turns(const Turns&) = delete;

  // The next item, whose turn has to be ended; none, if there are no more.
  std::optional<size_t> Take();
  // Waits until the turns of all items before this one, which was taken, are ended.
  void Wait(size_t item);
  // Waits likewise, and ends the turn.
  void End(size_t item);
  // No more items are taken.
  void Stop();

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  size_t count_;
  size_t taken_ = 0;
  size_t turn_ = 0;
};

// Calls `work` in two threads at once, if there are items for two and a second processor;
// it is to take items until there are no more. It may not throw.
void InTurns(size_t count, absl::FunctionRef<void(Turns& turns)> work);

}  // namespace gprofhub::base
