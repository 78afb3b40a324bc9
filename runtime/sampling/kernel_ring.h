/* Where the kernel writes an event's samples. */
#ifndef GPROFHUB_RUNTIME_SAMPLING_KERNEL_RING_H_
#define GPROFHUB_RUNTIME_SAMPLING_KERNEL_RING_H_

#include <linux/perf_event.h>
#include <stdint.h>

#include "runtime/base/text.h"
#include "runtime/processor/machine.h"

/* A word of the `bytes` of data behind the page, which a record may begin before the end of and end
 * behind the beginning of. */
static inline uint64_t gh_kernel_ring_word(const struct perf_event_mmap_page* page, uint64_t bytes,
                                           uint64_t offset) {
  const char* data = (const char*)page + gh_page_bytes();
  uint64_t word;
  gh_copy(&word, data + offset % bytes, sizeof word);
  return word;
}

/* The head of the record at an offset; size 0: no kernel writes that. */
static inline struct perf_event_header gh_kernel_ring_record(
    const struct perf_event_mmap_page* page, uint64_t bytes, uint64_t offset) {
  struct perf_event_header header;
  const uint64_t first = gh_kernel_ring_word(page, bytes, offset);
  gh_copy(&header, &first, sizeof header);
  if (header.size < sizeof header) header.size = 0;
  return header;
}

#endif
