// Work shared by two threads: gprofhub uses at most two for one task.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>

#include "absl/functional/function_ref.h"

namespace gprofhub::base {

// Loops with random memory access, with software prefetching.

// Prefetches the data of a loop's item while earlier items are processed: `fetch` is called for the
// item that is `distance` items ahead. It should call only Prefetch.
template <typename Fetch>
struct FetchAhead {
  size_t distance;
  Fetch fetch;
};
template <typename Fetch>
FetchAhead(size_t, Fetch) -> FetchAhead<Fetch>;

// Calls `visit` for begin, begin + 1, … end - 1. Fetches run ahead of it. A fetch that reads what
// another one prefetches needs the smaller distance.
template <typename Visit, typename... Fetches>
void ForEachFetched(size_t begin, size_t end, Visit visit, FetchAhead<Fetches>... fetches) {
  const auto fetch_for = [end](size_t at, const auto& ahead) {
    if (end - at > ahead.distance) ahead.fetch(at + ahead.distance);
  };
  for (size_t i = begin; i < end; ++i) {
    (fetch_for(i, fetches), ...);
    visit(i);
  }
}

// Software prefetching.

// Prefetches the cache line at `address`, which may be any value. The empty asm statement is
// needed: gcc 12 treats a function that only calls __builtin_prefetch as free of effects, and drops
// its calls.
inline void Prefetch(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}

// Calls both functions and returns when both have returned. They run in parallel if the work is
// worth a thread and there is a second processor, otherwise in sequence. Neither may throw.
void RunBoth(bool worth_a_thread, absl::FunctionRef<void()> first,
             absl::FunctionRef<void()> second);

// Calls `work` for each half of [0, count); once if there are fewer than two items. The halves run
// in parallel if there are at least `worth_a_thread` items, as in RunBoth.
void ForBothHalves(size_t count, size_t worth_a_thread,
                   absl::FunctionRef<void(size_t begin, size_t end)> work);

// Hands out the items 0, 1, … count-1 to several threads and orders their results: each item has a
// turn, which begins when the turns of all items before it have ended. Everything done in a turn
// happens after everything done in earlier turns.
class OrderedItems {
 public:
  explicit OrderedItems(size_t count) : count_(count) {}
  OrderedItems(const OrderedItems&) = delete;

  // The next item, whose turn the caller must end; nullopt if there are no more.
  std::optional<size_t> Take();
  // Waits for the turn of this item, which the caller must have taken.
  void WaitForTurn(size_t item);
  // Waits for the turn, and ends it.
  void EndTurn(size_t item);
  // Stops handing out items.
  void Stop();

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  size_t count_;
  size_t taken_ = 0;
  size_t turn_ = 0;
};

// Calls `work` in two threads at once if there are at least two items and a second processor,
// otherwise in this one. `work` takes items until there are no more. It may not throw.
void WorkInOrder(size_t count, absl::FunctionRef<void(OrderedItems& items)> work);

}  // namespace gprofhub::base
