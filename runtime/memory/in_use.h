/* Memory in use by call site, now and at the process's peak: exact, in a few instructions for
 * each block that is allocated or freed.
 *
 * A peak needs no copy of the call sites. It ends with the first free after it. From then on
 * each site saves its value before its first change, once per peak (profile/format/recording.h,
 * gprofhub_in_use). So the file has the peak at every instant.
 *
 * Changes are serialised, so that the sites' bytes at the peak add up to the peak. Their order,
 * and so the height of the peak, depends on the threads' timing. While the C library reports a
 * single thread, no lock is taken. */
#ifndef GPROFHUB_RUNTIME_MEMORY_IN_USE_H_
#define GPROFHUB_RUNTIME_MEMORY_IN_USE_H_

#include <stdint.h>

#include "profile/format/recording.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/table.h"

#pragma GCC visibility push(default)
/* <sys/single_threaded.h>, since glibc 2.32. */
extern char __libc_single_threaded __attribute__((weak));
#pragma GCC visibility pop

#pragma GCC visibility push(hidden)

/* The table for new sites; NULL: none yet. */
extern struct gprofhub_chunk* gh_in_use_table;

/* Number of forks since the first ancestor with this runtime: a child does not count its
 * parent's blocks. */
extern uint16_t gh_in_use_generation;

/* Creates the site. NULL: not counted, or out of memory. */
struct gprofhub_in_use* gh_in_use_begin_site(uint64_t from, uint64_t quantity);

/* Nonzero: the caller must call gh_in_use_unlock(). */
int gh_in_use_lock(void);
void gh_in_use_unlock(void);

/* Declares the present use a new peak. */
void gh_in_use_reset(void);

/* In a forked child: resets the use to zero. Returns the table that interrupted code may still
 * point to. */
struct gprofhub_chunk* gh_in_use_after_fork(void);

static inline uint64_t gh_in_use_home(uint64_t from) { return (from * GH_HASH_FACTOR) >> 27; }

/* The site of the call that returns to `from`, for the function that represents the bytes; NULL:
 * not counted. */
static inline struct gprofhub_in_use* gh_in_use_site(uint64_t from, uint64_t quantity) {
  struct gprofhub_chunk* const table = __atomic_load_n(&gh_in_use_table, __ATOMIC_ACQUIRE);
  if (__builtin_expect(table != 0, 1)) {
    struct gprofhub_in_use* const sites = (struct gprofhub_in_use*)(table + 1);
    struct gprofhub_in_use* site = sites + (gh_in_use_home(from) & (table->capacity - 1));
    for (int i = 0; i < (int)GPROFHUB_PROBE_SLOTS; ++i, ++site) {
      const uint64_t there = __atomic_load_n(&site->from, __ATOMIC_RELAXED);
      if (there == from) return site;
      if (there == 0) break;
    }
  }
  return gh_in_use_begin_site(from, quantity);
}

static inline int gh_in_use_enter(void) {
  if (__builtin_expect(&__libc_single_threaded != 0 && __libc_single_threaded, 1)) return 0;
  return gh_in_use_lock();
}

static inline void gh_in_use_leave(int locked) {
  if (__builtin_expect(locked, 0)) gh_in_use_unlock();
}

static inline void gh_in_use_keep(struct gprofhub_in_use* site, uint64_t peaks) {
  if (site->change == peaks) return;
  site->then = site->now;
  site->change = peaks;
}

/* Moves `bytes` from `old` to `more_bytes` of `site`. Either may be NULL: not counted. One step,
 * so that a growing block does not count twice at a peak. */
static inline void gh_in_use_change(struct gprofhub_in_use* old, uint64_t bytes,
                                    struct gprofhub_in_use* site, uint64_t more_bytes) {
  if (!old && !site) return;
  const int locked = gh_in_use_enter();
  struct gprofhub_recording* const header = gh_header;
  const uint64_t total = header->in_use + (site ? more_bytes : 0) - (old ? bytes : 0);
  uint64_t peaks = header->peaks;
  if (total < header->in_use && (peaks & 1)) header->peaks = ++peaks;
  if (old) {
    gh_in_use_keep(old, peaks);
    old->now -= bytes;
  }
  if (site) {
    gh_in_use_keep(site, peaks);
    site->now += more_bytes;
  }
  header->in_use = total;
  if (total > header->most_in_use) {
    header->most_in_use = total;
    if (!(peaks & 1)) header->peaks = peaks + 1;
  }
  gh_in_use_leave(locked);
}

/* The site's bytes at the peak. */
static inline uint64_t gh_in_use_at_peak(const struct gprofhub_in_use* site) {
  const uint64_t peaks = gh_header->peaks;
  return (peaks & 1) == 0 && site->change == peaks ? site->then : site->now;
}

#pragma GCC visibility pop

#endif
