// Large arrays with random access.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gprofhub::base {

// Reserves memory for `count` elements. If that is large, requests huge pages (2 MiB), so that TLB
// misses do not dominate the access time; no effect if the system has none. The vector must be
// empty.
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
