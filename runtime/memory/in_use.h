/* How much memory is in use, by the call that asked for it, and how much each call had when the
 * most was in use: exactly, in a few instructions for each block that comes or goes.
 *
 * Nothing is copied at a peak, however many call sites there are. A peak ends when memory is given
 * back for the first time. From then on a site keeps what it had just before it changes, once for
 * each peak (profile/recording/format.h, gprofhub_in_use). So the file has the peak at every
 * instant.
 *
 * Threads take turns: changes come one after the other, and the sites' bytes at the peak add up to
 * the peak. Which order it is, and so how high the peak, is up to the threads. The C library says
 * when there is one thread only. Then nothing is locked. */
#ifndef GPROFHUB_RUNTIME_MEMORY_IN_USE_H_
#define GPROFHUB_RUNTIME_MEMORY_IN_USE_H_

#include <stdint.h>

#include "profile/recording/format.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/table.h"

#pragma GCC visibility push(default)
/* <sys/single_threaded.h>, since glibc 2.32. */
extern char __libc_single_threaded __attribute__((weak));
#pragma GCC visibility pop

#pragma GCC visibility push(hidden)

/* The table that new sites go to; NULL: none yet. */
extern struct gprofhub_chunk* gh_in_use_table;

/* How often the process has forked since its first ancestor with this runtime: a child does not
 * count what was its parent's. */
extern uint16_t gh_in_use_generation;

/* Makes the site. NULL: it is not to be counted, or there is no memory. */
struct gprofhub_in_use* gh_in_use_begin_site(uint64_t from, uint64_t quantity);

/* Not 0: the caller has to gh_in_use_unlock(). */
int gh_in_use_lock(void);
void gh_in_use_unlock(void);

/* What is in use now is the most that was ever in use. */
void gh_in_use_reset(void);

/* In a forked child: nothing is in use. Returns the table that the interrupted code may still hold
 * a pointer to. */
struct gprofhub_chunk* gh_in_use_after_fork(void);

static inline uint64_t gh_in_use_home(uint64_t from) { return (from * GH_HASH_FACTOR) >> 27; }

/* The site of the call that returns to `from`, for the function that stands for the bytes; NULL:
 * none.
 */
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

/* `bytes` that `old` held are `more_bytes` that `site` holds. Either may be NULL: it is not
 * counted. One step: what a block grows by is no peak of both. */
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

/* What the site held at the peak. */
static inline uint64_t gh_in_use_at_peak(const struct gprofhub_in_use* site) {
  const uint64_t peaks = gh_header->peaks;
  return (peaks & 1) == 0 && site->change == peaks ? site->then : site->now;
}

#pragma GCC visibility pop

#endif
