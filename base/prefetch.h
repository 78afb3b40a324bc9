// Software prefetching.
#pragma once

namespace gprofhub::base {

// Prefetches the cache line at `address`, which may be any value. The empty asm statement is
// needed: gcc 12 treats a function that only calls __builtin_prefetch as free of effects, and drops
// its calls.
inline void Prefetch(const void* address) {
  __builtin_prefetch(address);
  asm volatile("");
}

}  // namespace gprofhub::base
