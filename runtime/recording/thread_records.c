/* A dead thread is detected without a hook at its end (which would need libc's allocator): the
 * kernel no longer knows its id. Each new thread checks a few records and takes over a dead
 * one's tables, so that a program that starts a thread per request does not grow. The dead
 * thread's counts stay: counts are sums. The generation in `owner` makes the takeover safe when
 * thread ids are reused. */
#include "runtime/recording/thread_records.h"

#include <errno.h>

#include "runtime/base/syscalls.h"
#include "runtime/recording/marks.h"
#include "runtime/recording/recording.h"

__thread struct gh_tls gh_tls __attribute__((tls_model("initial-exec"), visibility("hidden")));

enum {
  RECORDS_PER_CHUNK = 127, /* with the head: 4 pages */
  RECORD_CHUNKS = 512,
  RECORDS_TO_CHECK = 8
};

static struct gprofhub_chunk* record_chunks[RECORD_CHUNKS];
static uint32_t records_used;
static uint32_t next_to_check;

/* `records_used` also includes failed requests. */
uint32_t gh_thread_count(void) {
  const uint32_t used = __atomic_load_n(&records_used, __ATOMIC_ACQUIRE);
  return used < RECORD_CHUNKS * RECORDS_PER_CHUNK ? used : RECORD_CHUNKS * RECORDS_PER_CHUNK;
}

struct gprofhub_thread* gh_thread_at(uint32_t index) {
  struct gprofhub_chunk* chunk =
      __atomic_load_n(&record_chunks[index / RECORDS_PER_CHUNK], __ATOMIC_ACQUIRE);
  if (!chunk) return 0;
  return (struct gprofhub_thread*)(chunk + 1) + index % RECORDS_PER_CHUNK;
}

uint32_t gh_thread_index(const struct gprofhub_thread* record) {
  uint32_t first = 0; /* of a chunk */
  while ((uint64_t)(record - gh_thread_at(first)) >= RECORDS_PER_CHUNK) first += RECORDS_PER_CHUNK;
  return first + (uint32_t)(record - gh_thread_at(first));
}

static int is_dead(uint64_t owner, uint32_t self) {
  const uint32_t tid = (uint32_t)owner;
  if (tid == 0) return 0;
  if (tid == self) return 1; /* the id is ours now, so its former owner is dead */
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
  record->timer = -1;
  /* A vfork child runs in place of its parent, whose id is unknown: owner 0 is never taken over. */
  __atomic_store_n(&record->owner, gh_in_vfork_child() ? 0 : (uint64_t)1 << 32 | self,
                   __ATOMIC_RELEASE);
  return record;
}

struct gprofhub_thread* gh_record_obtain(uint32_t self, int* dropped) {
  struct gprofhub_thread* record = take_over(self);
  *dropped = record != 0;
  if (!record) record = new_record(self);
  if (!record) return 0;
  __atomic_fetch_add(&gh_header->threads, 1, __ATOMIC_RELAXED);
  gh_tls.thread = record;
  gh_tls.arcs = (struct gprofhub_chunk*)record->tables[GPROFHUB_ARCS - 1];
  gh_tls.blocks = (struct gprofhub_chunk*)record->tables[GPROFHUB_BLOCKS - 1];
  return record;
}

void gh_records_mark(uint32_t place) {
  for (unsigned which = 0; which < RECORD_CHUNKS; ++which) {
    struct gprofhub_chunk* chunk = __atomic_load_n(&record_chunks[which], __ATOMIC_ACQUIRE);
    if (!chunk || !chunk->entry) continue;
    uint64_t* words = gh_mark_words(chunk, RECORDS_PER_CHUNK * GPROFHUB_THREAD_WORDS, place);
    if (!words) continue;
    const struct gprofhub_thread* record = (const struct gprofhub_thread*)(chunk + 1);
    for (int i = 0; i < RECORDS_PER_CHUNK; ++i, ++record) {
      *words++ = record->signals;
      *words++ = record->weight;
      *words++ = record->cpu_ns_last;
    }
  }
}

void gh_records_forget(struct gprofhub_chunk** arcs, struct gprofhub_chunk** blocks) {
  *arcs = gh_tls.arcs;
  *blocks = gh_tls.blocks;
  gh_tls.arcs = 0;
  gh_tls.blocks = 0;
  gh_tls.thread = 0;
  for (unsigned i = 0; i < RECORD_CHUNKS && record_chunks[i]; ++i) record_chunks[i] = 0;
  records_used = 0;
  next_to_check = 0;
}
