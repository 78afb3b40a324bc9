/* A dead thread is noticed without a hook at its end (which would need libc's
 * allocator): the kernel no longer knows its id. Each new thread looks at a few
 * records and takes over a dead one's tables, so that a program that starts a
 * thread per request does not grow. What the dead one counted stays: counts
 * are sums. The generation in `owner` makes taking over safe when thread ids
 * are used again. */
#include "runtime/threads.h"

#include <errno.h>

#include "runtime/counters.h"
#include "runtime/modules.h"
#include "runtime/recording.h"
#include "runtime/sampler.h"
#include "runtime/stacks.h"
#include "runtime/syscalls.h"
#include "runtime/table.h"
#include "runtime/text.h"

__thread struct gh_tls gh_tls __attribute__((tls_model("initial-exec"), visibility("hidden")));
static volatile int counting_off;

enum {
  RECORDS_PER_CHUNK = 127, /* with the head: 4 pages */
  RECORD_CHUNKS = 512,
  RECORDS_TO_CHECK = 8,
  FIRST_CAPACITY = 1024,
  SMALL_CAPACITY = 8192, /* up to here tables grow fourfold, then twofold */
  INCREMENT_BYTES = 8    /* of incq %gs:disp32(%rip); disp32 are the last four */
};

static struct gprofhub_chunk* record_chunks[RECORD_CHUNKS];
static uint32_t records_used;
static uint32_t next_to_check;

uint32_t gh_thread_count(void) { return __atomic_load_n(&records_used, __ATOMIC_ACQUIRE); }

struct gprofhub_thread* gh_thread_at(uint32_t index) {
  struct gprofhub_chunk* chunk =
      __atomic_load_n(&record_chunks[index / RECORDS_PER_CHUNK], __ATOMIC_ACQUIRE);
  if (!chunk) return 0;
  return (struct gprofhub_thread*)(chunk + 1) + index % RECORDS_PER_CHUNK;
}

static int is_dead(uint64_t owner, uint32_t self) {
  const uint32_t tid = (uint32_t)owner;
  if (tid == 0) return 0;
  if (tid == self) return 1; /* the id is ours now, so its former bearer is gone */
  return GH_CALL3(tgkill, GH_CALL0(getpid), tid, 0) == -ESRCH;
}

static struct gprofhub_thread* take_over(uint32_t self) {
  const uint32_t used = gh_thread_count();
  for (uint32_t i = 0; i < RECORDS_TO_CHECK && i < used; ++i) {
    const uint32_t index = __atomic_fetch_add(&next_to_check, 1, __ATOMIC_RELAXED) % used;
    struct gprofhub_thread* record = gh_thread_at(index);
    if (!record) continue;
    uint64_t owner = __atomic_load_n(&record->owner, __ATOMIC_ACQUIRE);
    if (owner == 0 || !is_dead(owner, self)) continue;
    const uint64_t mine = ((owner >> 32) + 1) << 32 | self;
    if (__atomic_compare_exchange_n(&record->owner, &owner, mine, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED)) {
      gh_sampler_drop(record);
      return record;
    }
  }
  return 0;
}

static struct gprofhub_thread* new_record(uint32_t self) {
  const uint32_t index = __atomic_fetch_add(&records_used, 1, __ATOMIC_ACQ_REL);
  const uint32_t which = index / RECORDS_PER_CHUNK;
  if (which >= RECORD_CHUNKS) return 0;
  struct gprofhub_chunk* chunk = __atomic_load_n(&record_chunks[which], __ATOMIC_ACQUIRE);
  if (!chunk) {
    struct gprofhub_chunk* fresh =
        gh_allocate(GPROFHUB_THREADS,
                    sizeof *fresh + RECORDS_PER_CHUNK * sizeof(struct gprofhub_thread), which);
    if (!fresh) return 0;
    fresh->capacity = RECORDS_PER_CHUNK;
    fresh->used = RECORDS_PER_CHUNK;
    if (__atomic_compare_exchange_n(&record_chunks[which], &chunk, fresh, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      chunk = fresh;
    }
  }
  struct gprofhub_thread* record = (struct gprofhub_thread*)(chunk + 1) + index % RECORDS_PER_CHUNK;
  record->event_fd = -1;
  record->timer = -1;
  /* A vfork child stands in for its parent, whose id we cannot know: owner 0
   * is never taken over. */
  __atomic_store_n(&record->owner, gh_in_vfork_child() ? 0 : (uint64_t)1 << 32 | self,
                   __ATOMIC_RELEASE);
  return record;
}

struct gprofhub_thread* gh_thread_self(void) {
  if (!gh_recording_ready()) return 0;
  if (gh_tls.thread) return gh_tls.thread;
  struct gh_signals signals = gh_block_signals();
  if (!gh_tls.thread) {
    const uint32_t self = (uint32_t)GH_CALL0(gettid);
    struct gprofhub_thread* record = take_over(self);
    if (!record) record = new_record(self);
    if (record) {
      __atomic_fetch_add(&gh_header->threads, 1, __ATOMIC_RELAXED);
      gh_tls.thread = record;
      gh_tls.arcs = (struct gprofhub_chunk*)record->tables[GPROFHUB_ARCS - 1];
      gh_tls.blocks = (struct gprofhub_chunk*)record->tables[GPROFHUB_BLOCKS - 1];
      gh_counters_begin(record);
      if (record->owner) gh_sampler_start(record);
    }
  }
  gh_restore_signals(signals);
  return gh_tls.thread;
}

/* Begins the thread's first table of a kind, or one larger than `full`, unless
 * a signal handler has just done so. */
static struct gprofhub_chunk* begin_table(struct gprofhub_thread* thread, uint32_t kind,
                                          struct gprofhub_chunk* full) {
  struct gh_signals signals = gh_block_signals();
  struct gprofhub_chunk* table = (struct gprofhub_chunk*)thread->tables[kind - 1];
  if (table == full) {
    uint64_t capacity = FIRST_CAPACITY;
    if (full) capacity = full->capacity * (full->capacity < SMALL_CAPACITY ? 4 : 2);
    table = gh_allocate(kind, gh_table_bytes(capacity), 0);
    if (table) {
      gh_table_init(table, capacity, !counting_off);
      thread->tables[kind - 1] = (uint64_t)table;
      if (kind == GPROFHUB_ARCS) gh_tls.arcs = table;
      if (kind == GPROFHUB_BLOCKS) gh_tls.blocks = table;
    }
  }
  gh_restore_signals(signals);
  return table;
}

int64_t gh_count(uint32_t kind, uint64_t key, uint64_t context, uint64_t amount,
                 struct gprofhub_chunk** where) {
  struct gprofhub_thread* thread = gh_thread_self();
  if (!thread) return -1;
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

void gh_threads_after_fork(void) {
  gh_counters_after_fork();
  struct gprofhub_chunk* current[2] = {gh_tls.arcs, gh_tls.blocks};
  gh_tls.arcs = 0;
  gh_tls.blocks = 0;
  gh_tls.thread = 0;
  gh_sampler_after_fork();
  gh_modules_after_fork();
  for (unsigned i = 0; i < RECORD_CHUNKS && record_chunks[i]; ++i) record_chunks[i] = 0;
  records_used = 0;
  next_to_check = 0;
  gh_recording_forget(current, 2);
}

void gh_counting_switch(int on) {
  counting_off = !on;
  for (struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE); chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (chunk->kind == GPROFHUB_ARCS || chunk->kind == GPROFHUB_BLOCKS) {
      gh_table_switch(chunk, on);
    }
  }
  gh_counters_switch(on);
}

/* The calling thread's copies of counters in the text (counters.h). */
static void add_to_own(uint64_t* counter, int64_t amount) {
  __asm__ volatile("addq %1, %%gs:%0" : "+m"(*counter) : "er"(amount) : "cc");
}

/* True if the word holds `value`, which an empty word takes. */
static int claim(uint64_t* word, uint64_t value) {
  uint64_t held = 0;
  __asm__ volatile("cmpxchgq %2, %%gs:%1" : "+a"(held), "+m"(*word) : "r"(value) : "cc", "memory");
  return held == 0 || held == value;
}

/* The stubs' slow way. */
__attribute__((visibility("hidden"))) void gh_arc_slow(uint64_t self, uint64_t from);
__attribute__((visibility("hidden"))) void gh_indirect_slow(uint64_t self, uint64_t from);
__attribute__((visibility("hidden"))) void gh_block_slow(uint64_t self, uint64_t unused);

/* What is sampled in between is the runtime's own cost, wherever it is. */
static void enter(void) { *(volatile uint32_t*)&gh_tls.inside += 1; }
static void leave(void) { *(volatile uint32_t*)&gh_tls.inside -= 1; }

void gh_arc_slow(uint64_t self, uint64_t from) {
  if (counting_off) return;
  if (from == 0) from = GPROFHUB_CALLER_UNKNOWN;
  enter();
  gh_stack_note_call(self, from);
  if (gh_count(GPROFHUB_ARCS, self, from, 1, 0) < 0) gh_lose(GPROFHUB_LOST_ARCS, 1);
  leave();
}

void gh_block_slow(uint64_t self, uint64_t unused) {
  (void)unused;
  if (counting_off) return;
  enter();
  if (gh_count(GPROFHUB_BLOCKS, self, 0, 1, 0) < 0) gh_lose(GPROFHUB_LOST_ARCS, 1);
  leave();
}

/* A site has room for the first two callees that a thread meets there: pairs of
 * callee and count. The stub returns to the increment of the second count. */
void gh_indirect_slow(uint64_t self, uint64_t from) {
  int32_t offset;
  gh_copy(&offset, (const char*)from + INCREMENT_BYTES - sizeof offset, sizeof offset);
  uint64_t* const second = (uint64_t*)(from + INCREMENT_BYTES + (uint64_t)(int64_t)offset);
  uint64_t* const first = second - 2;
  if (claim(first - 1, self)) {
    add_to_own(first, 1);
  } else if (claim(second - 1, self)) {
    return;
  } else {
    gh_arc_slow(self, from);
  }
  add_to_own(second, -1);
}
