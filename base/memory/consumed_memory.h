// Releases large arrays that are no longer needed, in whole or in part.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gprofhub::base {

// Frees the elements' memory, which clear() would keep allocated.
template <typename T>
void FreeMemoryOf(std::vector<T>& elements) {
  elements = std::vector<T>();
}

// Returns an array's memory to the system while it is read for the last time; released pages read
// as zeros. Only memory that the caller owns may be passed: elements of a vector, or the characters
// of a string.
class ConsumedMemory {
 public:
  // For an array, or a part of one, that begins at `data`.
  explicit ConsumedMemory(const void* data) : released_(RoundUp(data)) {}

  // The elements before `end` have been read. Releases their pages in large batches, except pages
  // shared with other data.
  void ReadUpTo(const void* end) {
    constexpr uintptr_t kWorthACall = uintptr_t{1} << 18;
    const uintptr_t whole_pages = reinterpret_cast<uintptr_t>(end) / page_ * page_;
    if (whole_pages < released_ + kWorthACall) return;
    madvise(reinterpret_cast<void*>(released_), whole_pages - released_, MADV_DONTNEED);
    released_ = whole_pages;
  }

 private:
  uintptr_t RoundUp(const void* data) const {
    return (reinterpret_cast<uintptr_t>(data) + page_ - 1) / page_ * page_;
  }

  const uintptr_t page_ = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  uintptr_t released_;  // end of the released part
};

}  // namespace gprofhub::base
