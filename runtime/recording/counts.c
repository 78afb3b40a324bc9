#include "runtime/recording/counts.h"

#include "runtime/base/signals.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/marks.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/table.h"
#include "runtime/recording/thread_records.h"

enum {
  FIRST_CAPACITY = 1024,
  FIRST_FUNCTIONS = 128, /* two pages: most processes of a test call few functions */
  SMALL_CAPACITY = 8192, /* up to here tables grow fourfold, then twofold */
  GIVEN_UP = 1           /* chunk->set of an abandoned table */
};

volatile int gh_counting_off;
volatile int gh_counting_apart;
volatile uint64_t gh_range_low, gh_range_high = UINT64_MAX;

/* A new table of the thread, or NULL. *useful is 0 if tables were abandoned before this one was
 * installed, so that it may have been missed. */
static struct gprofhub_chunk* install_table(struct gprofhub_thread* thread, uint32_t kind,
                                            uint64_t capacity, int* useful) {
  const int apart = gh_counting_apart;
  *useful = 1;
  struct gprofhub_chunk* table = apart ? gh_allocate_apart(kind, gh_table_bytes(capacity))
                                       : gh_allocate(kind, gh_table_bytes(capacity), 0);
  if (!table) return 0;
  gh_table_init(table, capacity);
  thread->tables[kind - 1] = (uint64_t)table;
  if (kind == GPROFHUB_ARCS) gh_tls.arcs = table;
  if (kind == GPROFHUB_BLOCKS) gh_tls.blocks = table;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  *useful =
      __atomic_load_n(&table->set, __ATOMIC_RELAXED) != GIVEN_UP && apart == gh_counting_apart;
  if (!*useful) gh_table_give_up(table);
  return table;
}

/* Begins the thread's first table of a kind, or one larger than `full`, unless a signal handler
 * has just done so. */
static struct gprofhub_chunk* begin_table(struct gprofhub_thread* thread, uint32_t kind,
                                          struct gprofhub_chunk* full) {
  struct gh_signals signals = gh_block_signals();
  struct gprofhub_chunk* table = (struct gprofhub_chunk*)thread->tables[kind - 1];
  /* Or there is no table any more: gh_tables_reset. */
  if (table == full || table == 0) {
    uint64_t capacity = FIRST_CAPACITY;
    if (full) capacity = full->capacity * (full->capacity < SMALL_CAPACITY ? 4 : 2);
    int useful;
    do {
      table = install_table(thread, kind, capacity, &useful);
    } while (!useful);
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
    if (kind == GPROFHUB_ARCS && context != GPROFHUB_CALLER_UNKNOWN) {
      gh_modules_note(context & ~GPROFHUB_TAIL_CONTEXT);
    }
  }
  return slot - gh_table_slots(table);
}

/* The process's table, of all its threads: gh_table_slot() takes a slot by an atomic operation. A
 * thread that meets another's incomplete slot adds the key again, with a higher number. */
static struct gprofhub_chunk* first_calls;
static uint64_t first_calls_noted;

/* The table to use instead of `full`; NULL: out of memory. */
static struct gprofhub_chunk* begin_first_calls(struct gprofhub_chunk* full) {
  const uint64_t capacity = full ? full->capacity * 4 : FIRST_FUNCTIONS;
  const uint64_t bytes = gh_table_bytes(capacity);
  struct gh_signals signals = gh_block_signals();
  struct gprofhub_chunk* table = gh_counting_apart ? gh_allocate_apart(GPROFHUB_FIRST_CALLS, bytes)
                                                   : gh_allocate(GPROFHUB_FIRST_CALLS, bytes, 0);
  if (table) {
    gh_table_init(table, capacity);
    struct gprofhub_chunk* held = full;
    if (!__atomic_compare_exchange_n(&first_calls, &held, table, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
      gh_drop(table); /* another thread was faster */
      table = held;
    }
  }
  gh_restore_signals(signals);
  return table;
}

void gh_note_first_call(uint64_t self) {
  struct gprofhub_chunk* table = __atomic_load_n(&first_calls, __ATOMIC_ACQUIRE);
  struct gprofhub_slot* slot = 0;
  int inserted = 0;
  while (!table || !(slot = gh_table_slot(table, self, 0, &inserted))) {
    table = begin_first_calls(table);
    if (!table) return;
  }
  if (!inserted) return;
  slot->count = __atomic_add_fetch(&first_calls_noted, 1, __ATOMIC_RELAXED);
}

struct gprofhub_chunk* gh_first_calls_forget(void) {
  struct gprofhub_chunk* const table = first_calls;
  __atomic_store_n(&first_calls, 0, __ATOMIC_RELEASE);
  first_calls_noted = 0;
  return table;
}

static int is_looked_up_by_stubs(const struct gprofhub_chunk* chunk) {
  return chunk->kind == GPROFHUB_ARCS || chunk->kind == GPROFHUB_BLOCKS;
}

/* Abandons a table. A thread that is just installing one sees this flag (install_table), or its
 * table is seen below. */
static void give_up(struct gprofhub_chunk* table) {
  __atomic_store_n(&table->set, GIVEN_UP, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  gh_table_give_up(table);
}

static void begin_anew(uint32_t kind) {
  for (uint32_t i = 0; i < gh_thread_count(); ++i) {
    struct gprofhub_thread* thread = gh_thread_at(i);
    if (thread) __atomic_store_n(&thread->tables[kind - 1], 0, __ATOMIC_RELAXED);
  }
}

void gh_tables_switch(int on) { gh_counting_off = !on; }

static int is_table(const struct gprofhub_chunk* chunk) {
  return chunk->kind >= GPROFHUB_ARCS && chunk->kind <= GPROFHUB_BLOCKS;
}

void gh_tables_reset(void) {
  for (struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE); chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (chunk->kind == GPROFHUB_FIRST_CALLS) gh_drop(chunk);
    if (!is_table(chunk)) continue;
    give_up(chunk);
    gh_drop(chunk);
  }
  gh_first_calls_forget();
  for (uint32_t kind = GPROFHUB_ARCS; kind <= GPROFHUB_BLOCKS; ++kind) begin_anew(kind);
}

void gh_tables_count_apart(int apart) {
  gh_counting_apart = apart;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  gh_tables_reset();
}

void gh_tables_mark(uint32_t place) {
  for (struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE); chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (!is_table(chunk) || !chunk->entry || chunk->capacity == 0) continue;
    const uint64_t slots = chunk->capacity + GPROFHUB_PROBE_SLOTS;
    uint64_t* const words = gh_mark_words(chunk, slots, place);
    for (uint64_t i = 0; words && i < slots; ++i) {
      words[i] = __atomic_load_n(&gh_table_slots(chunk)[i].count, __ATOMIC_RELAXED);
    }
  }
}

/* The stubs search tables without checking the range: the earlier tables are switched off for
 * good, and each thread begins new ones. */
void gh_tables_limit(uint64_t low, uint64_t high) {
  gh_range_low = low;
  gh_range_high = high;
  for (struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE); chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (is_looked_up_by_stubs(chunk)) give_up(chunk);
  }
  begin_anew(GPROFHUB_ARCS);
  begin_anew(GPROFHUB_BLOCKS);
}
