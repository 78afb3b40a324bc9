/* A hash table with linear probing, at most half full. */
#include "runtime/gmon/rows.h"

#include <sys/mman.h>

#include "runtime/base/syscalls.h"
#include "runtime/counters/counters.h"
#include "runtime/gmon/counted_calls.h"
#include "runtime/memory/in_use.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/table.h"

enum { FIRST_CAPACITY = 4096, MIX_SHIFT = 29 };
static const uint64_t kMix = 0x9e3779b97f4a7c15;

static struct gh_row* map_rows(uint64_t capacity) {
  const long at = GH_CALL6(mmap, 0, capacity * sizeof(struct gh_row), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return GH_FAILED(at) ? 0 : (struct gh_row*)at;
}

/* The row of the same place, or the empty one that it would take. */
static struct gh_row* find(const struct gh_rows* rows, const struct gh_row* wanted) {
  uint64_t mix = (uint64_t)wanted->module;
  mix = (mix ^ wanted->self) * kMix;
  mix = ((mix ^ mix >> MIX_SHIFT) + wanted->from + wanted->kind) * kMix;
  for (uint64_t at = mix >> MIX_SHIFT;; ++at) {
    struct gh_row* row = &rows->rows[at & (rows->capacity - 1)];
    if (row->module == 0 || (row->module == wanted->module && row->kind == wanted->kind &&
                             row->self == wanted->self && row->from == wanted->from)) {
      return row;
    }
  }
}

static int grow(struct gh_rows* rows) {
  struct gh_rows larger = *rows;
  larger.capacity = 2 * rows->capacity;
  larger.rows = map_rows(larger.capacity);
  if (!larger.rows) return 0;
  for (uint64_t i = 0; i < rows->capacity; ++i) {
    if (rows->rows[i].module) *find(&larger, &rows->rows[i]) = rows->rows[i];
  }
  gh_rows_close(rows);
  *rows = larger;
  return 1;
}

/* Run-time addresses. The row is `bytes` before `self`, which is in the same module. */
static void add(struct gh_rows* rows, uint32_t kind, uint64_t self, uint64_t bytes, uint64_t from,
                uint64_t count) {
  const struct gprofhub_module* module = gh_module_find(self);
  if (!module || rows->failed) return;
  const struct gprofhub_module* caller = from > GPROFHUB_CALLER_UNKNOWN ? gh_module_find(from) : 0;
  struct gh_row row = {gh_module_first(module), kind, 0, self - bytes - module->bias, 0, 0};
  if (caller && gh_module_first(caller) == row.module) row.from = from - caller->bias;
  struct gh_row* place = find(rows, &row);
  if (place->module == 0) {
    if (2 * rows->used >= rows->capacity) {
      if (!grow(rows)) {
        rows->failed = 1;
        return;
      }
      place = find(rows, &row);
    }
    *place = row;
    ++rows->used;
  }
  place->count += count;
}

static void add_call(void* rows, uint64_t from, uint64_t self, uint64_t count) {
  add(rows, GPROFHUB_ARCS, self, 0, from, count);
}

static void add_block(void* rows, uint32_t kind, uint64_t self, uint64_t from, uint64_t count) {
  (void)from;
  if (kind == GPROFHUB_SITE_BLOCK) add(rows, GPROFHUB_BLOCKS, self, 0, 0, count);
}

static void add_table(struct gh_rows* rows, const struct gh_calls* calls,
                      struct gprofhub_chunk* table) {
  const struct gprofhub_slot* slot = gh_table_slots(table);
  const struct gprofhub_slot* const end = slot + table->capacity + GPROFHUB_PROBE_SLOTS;
  for (; slot != end; ++slot) {
    if (slot->count == 0) continue;
    if (table->kind == GPROFHUB_SAMPLES) {
      add(rows, GPROFHUB_SAMPLES, slot->key, 0, 0, slot->count);
    } else if (table->kind == GPROFHUB_BLOCKS) {
      add(rows, GPROFHUB_BLOCKS, slot->key, GH_CALL_BYTES, 0, slot->count);
    } else if (gh_calls_table_arc(calls, slot->context, slot->key)) {
      add(rows, GPROFHUB_ARCS, slot->key, 0, slot->context & ~GPROFHUB_TAIL_CONTEXT, slot->count);
    }
  }
}

/* Bytes in use at the peak are written as calls of the function that represents them. */
static void add_peak(struct gh_rows* rows, const struct gprofhub_chunk* chunk) {
  const struct gprofhub_in_use* site = (const struct gprofhub_in_use*)(chunk + 1);
  for (uint64_t i = 0; i < chunk->capacity + GPROFHUB_PROBE_SLOTS; ++i, ++site) {
    const uint64_t bytes = site->from ? gh_in_use_at_peak(site) : 0;
    if (bytes) add(rows, GPROFHUB_ARCS, chunk->base, 0, site->from, bytes);
  }
}

int gh_rows_open(struct gh_rows* rows) {
  struct gh_calls calls;
  rows->capacity = FIRST_CAPACITY;
  rows->used = 0;
  rows->failed = 0;
  rows->rows = map_rows(rows->capacity);
  if (!rows->rows) return 0;
  if (!gh_calls_open(&calls)) {
    gh_rows_close(rows);
    return 0;
  }
  for (struct gprofhub_chunk* chunk = gh_chunks; chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (chunk->capacity == 0) continue;
    if (chunk->kind == GPROFHUB_ARCS || chunk->kind == GPROFHUB_SAMPLES ||
        chunk->kind == GPROFHUB_BLOCKS) {
      add_table(rows, &calls, chunk);
    } else if (chunk->kind == GPROFHUB_IN_USE) {
      add_peak(rows, chunk);
    }
  }
  gh_calls_visit(&calls, rows, add_call);
  gh_counters_visit(rows, add_block);
  gh_calls_close(&calls);
  if (rows->failed) gh_rows_close(rows);
  return !rows->failed;
}

void gh_rows_close(struct gh_rows* rows) {
  GH_CALL2(munmap, rows->rows, rows->capacity * sizeof(struct gh_row));
}
