/* Layout of the kernel's ring of an event's samples. */
#ifndef GPROFHUB_RUNTIME_SAMPLING_KERNEL_RING_H_
#define GPROFHUB_RUNTIME_SAMPLING_KERNEL_RING_H_

#include <linux/perf_event.h>
#include <stdint.h>

#include "runtime/base/text.h"
#include "runtime/processor/machine.h"

/* A word of the `bytes` of data after the page; a record may wrap around their end. */
static inline uint64_t gh_kernel_ring_word(const struct perf_event_mmap_page* page, uint64_t bytes,
                                           uint64_t offset) {
  const char* data = (const char*)page + gh_page_bytes();
  uint64_t word;
  gh_copy(&word, data + offset % bytes, sizeof word);
  return word;
}

/* The header of the record at an offset; the kernel never writes size 0. */
static inline struct perf_event_header gh_kernel_ring_record(
    const struct perf_event_mmap_page* page, uint64_t bytes, uint64_t offset) {
  struct perf_event_header header;
  const uint64_t first = gh_kernel_ring_word(page, bytes, offset);
  gh_copy(&header, &first, sizeof header);
  if (header.size < sizeof header) header.size = 0;
  return header;
}

#endif
