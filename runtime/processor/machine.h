/* Properties of the machine that the kernel reports when a program starts. */
#ifndef GPROFHUB_RUNTIME_PROCESSOR_MACHINE_H_
#define GPROFHUB_RUNTIME_PROCESSOR_MACHINE_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* A word of the auxiliary vector, AT_… of <elf.h>; 0 if absent. Reads /proc/self/auxv, so it
 * works before libc is initialised, and is slow. */
uint64_t gh_auxiliary(uint64_t type);

/* The size of a page, in bytes: a power of two. Files are mapped in multiples of it. */
uint64_t gh_page_bytes(void);

/* `bytes`, rounded up to whole pages. */
static inline uint64_t gh_whole_pages(uint64_t bytes) {
  const uint64_t page = gh_page_bytes();
  return (bytes + page - 1) & ~(page - 1);
}

#pragma GCC visibility pop

#endif
