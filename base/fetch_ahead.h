// Loops with random memory access, with software prefetching.
#pragma once

#include <cstddef>

namespace gprofhub::base {

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

}  // namespace gprofhub::base
