/* The chunks of a recording that hold counters, and what they mean. */
#ifndef GPROFHUB_RUNTIME_COUNTERS_CHUNKS_H_
#define GPROFHUB_RUNTIME_COUNTERS_CHUNKS_H_

#include <stdint.h>

#include "profile/recording/format.h"
#include "runtime/recording/recording.h"

/* The chunk of `kind` for a set and thread, or NULL. */
static inline struct gprofhub_chunk* gh_counter_chunk(uint32_t kind, uint32_t set,
                                                      uint32_t thread) {
  struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE);
  while (chunk && (chunk->kind != kind || chunk->set != set || chunk->thread != thread)) {
    chunk = (struct gprofhub_chunk*)chunk->next;
  }
  return chunk;
}

static inline uint64_t* gh_counter_words(struct gprofhub_chunk* chunk) {
  return (uint64_t*)((char*)chunk + chunk->words);
}

#endif
