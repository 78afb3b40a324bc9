/* The chunks of a recording that contain counters, and their meaning. */
#ifndef GPROFHUB_RUNTIME_COUNTERS_CHUNKS_H_
#define GPROFHUB_RUNTIME_COUNTERS_CHUNKS_H_

#include <stdint.h>

#include "profile/format/recording.h"
#include "runtime/recording/recording.h"

enum { GH_COUNTER_SETS = 4096 };

/* By set: its SITES chunk, or NULL. */
extern struct gprofhub_chunk* gh_counter_sites[GH_COUNTER_SETS]
    __attribute__((visibility("hidden")));

/* The EXCLUDED chunk of a COUNTERS chunk, or NULL. */
static inline struct gprofhub_chunk* gh_excluded_of(const struct gprofhub_chunk* chunk) {
  return (struct gprofhub_chunk*)__atomic_load_n(&chunk->used, __ATOMIC_ACQUIRE);
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
