/* Sites never move, because blocks point to theirs. When a table is full, a larger one follows:
 * a site then begins there again, and the old record empties as its blocks are freed. The reader
 * adds the two. */
#include "runtime/memory/in_use.h"

#include <sched.h>

#include "runtime/base/signals.h"
#include "runtime/base/syscalls.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/thread_records.h"

enum { FIRST_CAPACITY = 1024, TRIES = 64 };

struct gprofhub_chunk* gh_in_use_table;
uint16_t gh_in_use_generation;

/* The gh_tls of the thread that holds the lock; NULL: free. */
static void* holder;

/* A signal handler that interrupts its own thread's change continues without the lock: it would
 * wait for itself. */
int gh_in_use_lock(void) {
  void* const self = &gh_tls;
  for (unsigned tries = 0;; ++tries) {
    void* now = 0;
    if (__atomic_compare_exchange_n(&holder, &now, self, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
      return 1;
    }
    if (now == self) return 0;
    if (tries >= TRIES) GH_CALL0(sched_yield);
  }
}

void gh_in_use_unlock(void) { __atomic_store_n(&holder, 0, __ATOMIC_RELEASE); }

static struct gprofhub_in_use* find(struct gprofhub_chunk* table, uint64_t from) {
  struct gprofhub_in_use* site = (struct gprofhub_in_use*)(table + 1);
  site += gh_in_use_home(from) & (table->capacity - 1);
  for (int i = 0; i < (int)GPROFHUB_PROBE_SLOTS; ++i, ++site) {
    if (site->from == from || site->from == 0) return site;
  }
  return 0;
}

static struct gprofhub_chunk* begin_table(const struct gprofhub_chunk* full, uint64_t quantity) {
  const uint64_t capacity = full ? 2 * full->capacity : FIRST_CAPACITY;
  struct gprofhub_chunk* const table = gh_allocate(
      GPROFHUB_IN_USE,
      sizeof *table + (capacity + GPROFHUB_PROBE_SLOTS) * sizeof(struct gprofhub_in_use), 0);
  if (!table) return 0;
  table->base = quantity;
  __atomic_store_n(&table->capacity, capacity, __ATOMIC_RELEASE);
  __atomic_store_n(&gh_in_use_table, table, __ATOMIC_RELEASE);
  return table;
}

/* The lock must be held and signals blocked. */
static struct gprofhub_in_use* insert(uint64_t from, uint64_t quantity) {
  struct gprofhub_chunk* table = gh_in_use_table;
  struct gprofhub_in_use* site = table ? find(table, from) : 0;
  if (site && site->from == from) return site;
  if (!site || table->used * 2 >= table->capacity) {
    table = begin_table(table, quantity);
    if (!table) return 0;
    site = find(table, from);
  }
  table->used += 1;
  __atomic_store_n(&site->from, from, __ATOMIC_RELEASE);
  return site;
}

struct gprofhub_in_use* gh_in_use_begin_site(uint64_t from, uint64_t quantity) {
  if (gh_recording_ready() != GH_RECORDING_READY) return 0;
  const struct gh_signals signals = gh_block_signals();
  const int locked = gh_in_use_lock();
  struct gprofhub_in_use* const site = insert(from, quantity);
  if (locked) gh_in_use_unlock();
  if (site) {
    gh_modules_note(from);
    gh_modules_note(quantity);
  } else {
    gh_lose(GPROFHUB_LOST_ARCS, 1);
  }
  gh_restore_signals(signals);
  return site;
}

void gh_in_use_reset(void) {
  const int locked = gh_in_use_lock();
  gh_header->most_in_use = gh_header->in_use;
  gh_header->peaks |= 1;
  if (locked) gh_in_use_unlock();
}

struct gprofhub_chunk* gh_in_use_after_fork(void) {
  struct gprofhub_chunk* const table = gh_in_use_table;
  gh_in_use_table = 0;
  gh_in_use_generation += 1;
  holder = 0; /* its holder is not in this process */
  return table;
}
