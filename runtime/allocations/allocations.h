/* Counts of an allocation: the call, and the requested bytes, both for the function that made
 * it. */
#ifndef GPROFHUB_RUNTIME_ALLOCATIONS_ALLOCATIONS_H_
#define GPROFHUB_RUNTIME_ALLOCATIONS_ALLOCATIONS_H_

#include <stddef.h>
#include <stdint.h>

#include "runtime/allocations/blocks.h"
#include "runtime/process/amounts.h"

/* Weak: a definition in the program takes precedence. */
#define EXPORT __attribute__((visibility("default"), weak))

/* The quantity of all bytes (runtime/gprofhub.h). Its name appears in reports. */
void gprofhub_allocated_bytes(void);

/* Memory that the program's free accepts, not counted. Alignment 0: malloc's. */
__attribute__((visibility("hidden"))) void* gh_take(size_t bytes, size_t alignment);

/* 0: gh_take uses the program's own malloc. */
__attribute__((visibility("hidden"), const)) int gh_takes_blocks(void);

/* The caller of the current function. */
#define FROM ((uint64_t)__builtin_return_address(0))

/* Counts the result of the current function, `self`. A failed allocation is not counted. */
#define COUNT(self, memory, bytes) gh_count_allocation((uint64_t) & (self), FROM, memory, bytes)

static inline void* gh_count_allocation(uint64_t self, uint64_t from, void* memory,
                                        uint64_t bytes) {
  if (__builtin_expect(memory != 0, 1)) {
    gh_amount(self, from, 1);
    gh_amount((uint64_t)&gprofhub_allocated_bytes, from, bytes);
  }
  return memory;
}

/* Also marks the block (blocks.h) as in use. */
#define GIVE(self, block, bytes) gh_give((uint64_t) & (self), FROM, block, bytes)

static inline void* gh_give(uint64_t self, uint64_t from, void* block, uint64_t bytes) {
  gh_count_allocation(self, from, block, bytes);
  gh_hold(block, from);
  return block;
}

/* realloc, where `self` is the function that the program called. */
#ifdef GPROFHUB_PEAK
__attribute__((visibility("hidden"))) void* gh_resize(uint64_t self, uint64_t from, void* memory,
                                                      size_t bytes);
#else
static inline void* gh_resize(uint64_t self, uint64_t from, void* memory, size_t bytes) {
  return gh_count_allocation(self, from, __libc_realloc(memory, bytes), bytes);
}
#endif

#endif
