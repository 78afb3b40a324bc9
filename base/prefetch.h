// Fetching from memory what is going to be read.
#pragma once

namespace gprofhub::base {

// Has the line of the cache at `address`, which may be any, fetched. For the gcc of today
// a function that does nothing but __builtin_prefetch has no effect, and its calls are
// dropped: the empty statement is one.
inline void Prefetch(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}

}  // namespace gprofhub::base
