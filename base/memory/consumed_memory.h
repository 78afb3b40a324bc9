// Large arrays that are needed no more, in whole or in part.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gprofhub::base {

// Frees what the elements take: to clear() the vector would keep it.
template <typename T>
void FreeMemoryOf(std::vector<T>& elements) {
  elements = std::vector<T>();
}

// Gives the memory of an array back to the system as it is read for the last time: it
// reads as zeros then. Only what is one's own may be given: elements of a vector, or the
// characters of a string.
class ConsumedMemory {
 public:
  // Of an array, or a part of one, that begins at `data`.
  explicit ConsumedMemory(const void* data) : released_(RoundUp(data)) {}

  // Those before `end` have been read. Releases them once they are many, but for what
  // shares a page with others.
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
  uintptr_t released_;  // up to here
};

}  // namespace gprofhub::base
