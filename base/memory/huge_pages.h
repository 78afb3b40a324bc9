// Large arrays that are read here and there.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gprofhub::base {

// Reserves room for `count` elements. If that is much, asks the system to put it into
// pages of two megabytes, so that finding a page is not what an access takes most of its
// time for; where it has none, nothing changes. For a vector that is empty.
template <typename T>
void ReserveInHugePages(size_t count, std::vector<T>& elements) {
  constexpr size_t kMuch = size_t{16} << 20;
  elements.reserve(count);
  if (count * sizeof(T) < kMuch) return;
  const uintptr_t page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto data = reinterpret_cast<uintptr_t>(elements.data());
  const uintptr_t begin = (data + page - 1) / page * page;
  const uintptr_t end = (data + count * sizeof(T)) / page * page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace gprofhub::base
