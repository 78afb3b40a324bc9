/* The chunks of a recording that contain counters, and their meaning. */
#ifndef GPROFHUB_RUNTIME_COUNTERS_CHUNKS_H_
#define GPROFHUB_RUNTIME_COUNTERS_CHUNKS_H_

#include <stdint.h>

#include "profile/format/recording.h"
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

/* The site that a word of `chunk` counts; `excluded` is its EXCLUDED chunk, or NULL. */
static inline uint64_t gh_counted_at(struct gprofhub_chunk* chunk, struct gprofhub_chunk* excluded,
                                     uint64_t at) {
  const uint64_t count = ((volatile uint64_t*)gh_counter_words(chunk))[at];
  return excluded ? (excluded->used ? 0 : count) - gh_counter_words(excluded)[at] : count;
}

#endif
