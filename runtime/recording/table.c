/* Open addressing with linear probing; the home slot is the low bits of a sum in which the key
 * is multiplied by an odd factor and the context by 8. Modulo a power of two that is one-to-one
 * in each of them, so a table larger than the code always has free slots, however regular the
 * addresses are; the factor spreads the callees (functions are 16 bytes apart), and call sites
 * of one callee, at least five bytes apart, are in different slots.
 *
 * A table is at most half full, and a key is within GPROFHUB_PROBE_SLOTS of its home; more slots
 * than homes are allocated, so a probe never wraps and always ends at an empty slot. When a key
 * finds no slot the caller begins a table twice as large. Nothing is copied: the old counts stay
 * in place (an interrupted increment still succeeds), the new table fills as keys recur, and the
 * reader adds both. */
#include "runtime/recording/table.h"

static const uint64_t kPage = GPROFHUB_PAGE_BYTES;

enum { INDEX_SPREAD = 0x61c88660 };

uint64_t gh_table_bytes(uint64_t capacity) {
  uint64_t bytes = sizeof(struct gprofhub_chunk) +
                   (capacity + GPROFHUB_PROBE_SLOTS) * sizeof(struct gprofhub_slot);
  return (bytes + kPage - 1) & ~(kPage - 1);
}

static uint64_t mask_of(const struct gprofhub_chunk* table) {
  return (table->capacity - 1) * sizeof(struct gprofhub_slot);
}

void gh_table_init(struct gprofhub_chunk* table, uint64_t capacity) {
  table->capacity = capacity;
  table->used = 0;
  __atomic_store_n(&table->mask, mask_of(table), __ATOMIC_RELAXED);
}

void gh_table_give_up(struct gprofhub_chunk* table) {
  __atomic_store_n(&table->mask, 0, __ATOMIC_RELAXED);
}

struct gprofhub_slot* gh_table_slot(struct gprofhub_chunk* table, uint64_t key, uint64_t context,
                                    int* inserted) {
  const uint64_t mix = gh_mix(key, context);
  /* Contexts of stacks are not addresses but small consecutive numbers. */
  const uint64_t sum = table->kind == GPROFHUB_STACKS ? mix + context * INDEX_SPREAD : mix;
  struct gprofhub_slot* const slots = gh_table_slots(table);
  struct gprofhub_slot* slot = slots + (sum & mask_of(table)) / sizeof(struct gprofhub_slot);
  struct gprofhub_slot* const beyond = slot + GPROFHUB_PROBE_SLOTS;
  /* Slot 0 stays empty; the few keys with this home always take this path. */
  if (slot == slots) ++slot;
  *inserted = 0;
  for (; slot != beyond; ++slot) {
    if (slot->key == key && slot->context == context && slot->mix == mix) return slot;
    if (slot->key != 0) continue;
    if (table->used * 2 >= table->capacity) return 0;
    /* Claimed first, completed later: a handler in between sees a key without its mix and
     * continues; at worst it adds the same key again in a later slot, and the reader adds the
     * two. */
    uint64_t empty = 0;
    if (!__atomic_compare_exchange_n(&slot->key, &empty, key, 0, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED)) {
      --slot; /* a handler took it: check it again */
      continue;
    }
    *(volatile uint64_t*)&slot->context = context;
    *(volatile uint64_t*)&slot->mix = mix;
    __atomic_fetch_add(&table->used, 1, __ATOMIC_RELAXED);
    *inserted = 1;
    return slot;
  }
  return 0;
}
