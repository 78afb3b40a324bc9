#include "runtime/gmon/counted_calls.h"

#include <sys/mman.h>

#include "runtime/base/syscalls.h"
#include "runtime/counters/counters.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/table.h"

struct gh_place {
  uint64_t address;
  uint64_t entered; /* functions: counted at the entry */
  uint64_t called;  /* functions: counted at call sites */
  uint64_t is_function;
};

static void count_place(void* to, uint32_t kind, uint64_t self, uint64_t from) {
  (void)self;
  (void)from;
  if (kind >= GPROFHUB_SITE_INDIRECT && kind <= GPROFHUB_SITE_FUNCTION) *(uint64_t*)to += 1;
}

static void put_place(void* to, uint32_t kind, uint64_t self, uint64_t from) {
  struct gh_calls* calls = to;
  if (kind < GPROFHUB_SITE_INDIRECT || kind > GPROFHUB_SITE_FUNCTION) return;
  struct gh_place* place = &calls->places[calls->count++];
  place->is_function = kind != GPROFHUB_SITE_INDIRECT;
  place->address = place->is_function ? self : from;
}

/* Heap sort: in place, never quadratic. */
static void sink(struct gh_place* places, uint64_t at, uint64_t count) {
  for (;;) {
    uint64_t child = 2 * at + 1;
    if (child >= count) return;
    if (child + 1 < count && places[child].address < places[child + 1].address) ++child;
    if (places[at].address >= places[child].address) return;
    const struct gh_place other = places[at];
    places[at] = places[child];
    places[child] = other;
    at = child;
  }
}

static void sort(struct gh_place* places, uint64_t count) {
  for (uint64_t i = count / 2; i-- > 0;) sink(places, i, count);
  for (uint64_t i = count; i-- > 1;) {
    const struct gh_place last = places[i];
    places[i] = places[0];
    places[0] = last;
    sink(places, 0, i);
  }
}

static struct gh_place* find(const struct gh_calls* calls, uint64_t address) {
  uint64_t low = 0, high = calls->count;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (calls->places[middle].address < address) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < calls->count && calls->places[low].address == address ? &calls->places[low] : 0;
}

static int is_call(uint32_t kind) {
  return kind == GPROFHUB_SITE_CALL || kind == GPROFHUB_SITE_INDIRECT || kind == GPROFHUB_SITE_TAIL;
}

static void add_to_function(void* to, uint32_t kind, uint64_t self, uint64_t from, uint64_t count) {
  (void)from;
  struct gh_place* place = find(to, self);
  if (!place) return;
  if (kind == GPROFHUB_SITE_ENTRY) {
    place->entered += count;
  } else if (is_call(kind)) {
    place->called += count;
  }
}

static void add_tables(const struct gh_calls* calls) {
  for (struct gprofhub_chunk* chunk = gh_chunks; chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (chunk->kind != GPROFHUB_ARCS || chunk->capacity == 0) continue;
    const struct gprofhub_slot* slots = gh_table_slots(chunk);
    for (uint64_t i = 0; i < chunk->capacity + GPROFHUB_PROBE_SLOTS; ++i) {
      struct gh_place* place = slots[i].count ? find(calls, slots[i].key) : 0;
      if (place) place->called += slots[i].count;
    }
  }
}

int gh_calls_open(struct gh_calls* calls) {
  calls->places = 0;
  calls->count = 0;
  calls->bytes = 0;
  uint64_t count = 0;
  gh_sites_visit(&count, count_place);
  if (count == 0) return 1;
  calls->bytes = count * sizeof(struct gh_place);
  const long at = GH_CALL6(mmap, 0, calls->bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (GH_FAILED(at)) return 0;
  calls->places = (struct gh_place*)at;
  gh_sites_visit(calls, put_place);
  sort(calls->places, calls->count);
  gh_counters_visit(calls, add_to_function);
  add_tables(calls);
  return 1;
}

void gh_calls_close(struct gh_calls* calls) {
  if (calls->places) GH_CALL2(munmap, calls->places, calls->bytes);
}

int gh_calls_table_arc(const struct gh_calls* calls, uint64_t from, uint64_t self) {
  const struct gh_place* callee = find(calls, self);
  if (callee && callee->is_function) return 1;
  if (from & GPROFHUB_TAIL_CONTEXT) return 0;
  const struct gh_place* caller = find(calls, from);
  return !caller || caller->is_function;
}

/* Receives an arc between two places. */
struct listener {
  const struct gh_calls* calls;
  void* to;
  void (*visit)(void* to, uint64_t from, uint64_t self, uint64_t count);
};

static void pass_on(void* to, uint32_t kind, uint64_t self, uint64_t from, uint64_t count) {
  const struct listener* listener = to;
  if (!is_call(kind)) return;
  const struct gh_place* callee = find(listener->calls, self);
  if (callee && callee->is_function) listener->visit(listener->to, from, self, count);
}

void gh_calls_visit(const struct gh_calls* calls, void* to,
                    void (*visit)(void* to, uint64_t from, uint64_t self, uint64_t count)) {
  struct listener listener = {calls, to, visit};
  gh_counters_visit(&listener, pass_on);
  for (uint64_t i = 0; i < calls->count; ++i) {
    const struct gh_place* place = &calls->places[i];
    if (place->entered <= place->called) continue;
    visit(to, GPROFHUB_CALLER_UNKNOWN, place->address, place->entered - place->called);
  }
}
