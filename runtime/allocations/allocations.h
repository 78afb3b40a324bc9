/* What is counted of an allocation: the call, and the bytes that were asked for, both for
 * the function that asked. */
#ifndef GPROFHUB_RUNTIME_ALLOCATIONS_ALLOCATIONS_H_
#define GPROFHUB_RUNTIME_ALLOCATIONS_ALLOCATIONS_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/process/amounts.h"

/* Weak: a program that has its own, in whichever file, keeps it. */
#define EXPORT __attribute__((visibility("default"), weak))

/* The quantity of all bytes (runtime/gprofhub.h). The name is what people see. */
void gprofhub_allocated_bytes(void);

/* Memory that the program's free takes back, not counted. Alignment 0: malloc's. */
__attribute__((visibility("hidden"))) void* gh_take(size_t bytes, size_t alignment);

/* What the function at `self` gives, which is the one that is being executed. What failed is
 * not counted. */
#define GIVE(self, memory, bytes) \
  gh_give((uint64_t) & (self), (uint64_t)__builtin_return_address(0), memory, bytes)

static inline void* gh_give(uint64_t self, uint64_t from, void* memory, uint64_t bytes) {
  if (__builtin_expect(memory != 0, 1)) {
    gh_amount(self, from, 1);
    gh_amount((uint64_t)&gprofhub_allocated_bytes, from, bytes);
  }
  return memory;
}

#endif
