/* Adds any amount to a count, for the program's own code: quantities and allocations. They are
 * arcs, and take the same paths as the stubs (runtime/processor). */
#ifndef GPROFHUB_RUNTIME_PROCESS_AMOUNTS_H_
#define GPROFHUB_RUNTIME_PROCESS_AMOUNTS_H_

#include <stdint.h>

#include "profile/format/recording.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/table.h"
#include "runtime/recording/thread_records.h"

#pragma GCC visibility push(hidden)

void gh_amount_slow(uint64_t self, uint64_t from, uint64_t amount);

/* Adds `amount` calls from `from`, a return address, to the function at `self`.
 * Async-signal-safe; may be called before the runtime has started. */
static inline void gh_amount(uint64_t self, uint64_t from, uint64_t amount) {
  if (__builtin_expect(gh_counting_off, 0)) return;
  struct gprofhub_chunk* table = gh_tls.arcs;
  if (table) {
    const uint64_t mix = gh_mix(self, from);
    /* The mask is a byte mask. */
    struct gprofhub_slot* slot =
        (struct gprofhub_slot*)((char*)gh_table_slots(table) + (mix & table->mask));
    for (; slot->mix == mix || slot->key != 0; ++slot) {
      if (slot->mix != mix) continue;
      gh_add(&slot->count, amount);
      return;
    }
  }
  gh_amount_slow(self, from, amount);
}

#pragma GCC visibility pop

#endif
