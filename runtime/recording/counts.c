#include "runtime/recording/counts.h"

#include "runtime/base/signals.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/table.h"
#include "runtime/recording/thread_records.h"

enum {
  FIRST_CAPACITY = 1024,
  SMALL_CAPACITY = 8192, /* up to here tables grow fourfold, then twofold */
  RETIRED = 1            /* chunk->set of a table that stays off */
};

volatile int gh_counting_off;
volatile uint64_t gh_range_low, gh_range_high = UINT64_MAX;

/* Begins the thread's first table of a kind, or one larger than `full`, unless
 * a signal handler has just done so. */
static struct gprofhub_chunk* begin_table(struct gprofhub_thread* thread, uint32_t kind,
                                          struct gprofhub_chunk* full) {
  struct gh_signals signals = gh_block_signals();
  struct gprofhub_chunk* table = (struct gprofhub_chunk*)thread->tables[kind - 1];
  /* Or there is none any more: gh_tables_reset. */
  if (table == full || table == 0) {
    uint64_t capacity = FIRST_CAPACITY;
    if (full) capacity = full->capacity * (full->capacity < SMALL_CAPACITY ? 4 : 2);
    table = gh_allocate(kind, gh_table_bytes(capacity), 0);
    if (table) {
      gh_table_init(table, capacity, !gh_counting_off);
      /* Who switches counting off may have come by before there was a mask to clear. */
      __atomic_thread_fence(__ATOMIC_SEQ_CST);
      if (gh_counting_off) gh_table_switch(table, 0);
      thread->tables[kind - 1] = (uint64_t)table;
      if (kind == GPROFHUB_ARCS) gh_tls.arcs = table;
      if (kind == GPROFHUB_BLOCKS) gh_tls.blocks = table;
    }
  }
  gh_restore_signals(signals);
  return table;
}

int64_t gh_count(struct gprofhub_thread* thread, uint32_t kind, uint64_t key, uint64_t context,
                 uint64_t amount, struct gprofhub_chunk** where) {
  struct gprofhub_chunk* table = (struct gprofhub_chunk*)thread->tables[kind - 1];
  struct gprofhub_slot* slot = 0;
  int inserted = 0;
  while (!table || !(slot = gh_table_slot(table, key, context, &inserted))) {
    table = begin_table(thread, kind, table);
    if (!table) return -1;
  }
  gh_add(&slot->count, amount);
  if (where) *where = table;
  if (inserted) {
    gh_modules_note(key);
    if (kind == GPROFHUB_ARCS && context != GPROFHUB_CALLER_UNKNOWN) gh_modules_note(context);
  }
  return slot - gh_table_slots(table);
}

static int is_looked_up_by_stubs(const struct gprofhub_chunk* chunk) {
  return chunk->kind == GPROFHUB_ARCS || chunk->kind == GPROFHUB_BLOCKS;
}

void gh_tables_switch(int on) {
  gh_counting_off = !on;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  for (struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE); chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (is_looked_up_by_stubs(chunk)) gh_table_switch(chunk, on && chunk->set != RETIRED);
  }
}

static int is_table(const struct gprofhub_chunk* chunk) {
  return chunk->kind >= GPROFHUB_ARCS && chunk->kind <= GPROFHUB_BLOCKS;
}

void gh_tables_reset(void) {
  for (uint32_t i = 0; i < gh_thread_count(); ++i) {
    struct gprofhub_thread* thread = gh_thread_at(i);
    for (uint32_t kind = GPROFHUB_ARCS; thread && kind <= GPROFHUB_BLOCKS; ++kind) {
      __atomic_store_n(&thread->tables[kind - 1], 0, __ATOMIC_RELAXED);
    }
  }
  for (struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE); chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (!is_table(chunk)) continue;
    chunk->set = RETIRED;
    gh_drop(chunk);
    gh_table_switch(chunk, 0);
  }
}

/* The stubs look into tables without asking for the range: the tables from before
 * are switched off for good, and each thread begins new ones. */
void gh_tables_limit(uint64_t low, uint64_t high) {
  gh_range_low = low;
  gh_range_high = high;
  for (uint32_t i = 0; i < gh_thread_count(); ++i) {
    struct gprofhub_thread* thread = gh_thread_at(i);
    if (!thread) continue;
    __atomic_store_n(&thread->tables[GPROFHUB_ARCS - 1], 0, __ATOMIC_RELAXED);
    __atomic_store_n(&thread->tables[GPROFHUB_BLOCKS - 1], 0, __ATOMIC_RELAXED);
  }
  for (struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE); chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (!is_looked_up_by_stubs(chunk)) continue;
    chunk->set = RETIRED;
    gh_table_switch(chunk, 0);
  }
}
