/* Called by the stubs (runtime/processor) when they do not find a key, and for counts by an
 * amount, which take the same two paths. */
#include "runtime/counters/counters.h"
#include "runtime/gprofhub.h"
#include "runtime/process/amounts.h"
#include "runtime/process/live.h"
#include "runtime/process/own_time.h"
#include "runtime/process/threads.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/recording.h"
#include "runtime/sampling/stacks.h"

__attribute__((visibility("hidden"))) void gh_arc_slow(uint64_t self, uint64_t from);
__attribute__((visibility("hidden"))) void gh_block_slow(uint64_t self, uint64_t unused);

/* Whether it was counted. */
static int count(uint32_t kind, uint64_t key, uint64_t context, uint64_t amount) {
  struct gprofhub_thread* thread = gh_thread_self();
  if (kind == GPROFHUB_ARCS && gh_live_awaits(key)) gh_live_call_came(thread);
  if (gh_counting_off) return 0; /* as GPROFHUB_START requests */
  gh_own_time_since(thread);
  if (thread && gh_count(thread, kind, key, context, amount, 0) >= 0) return 1;
  gh_lose(GPROFHUB_LOST_ARCS, 1);
  return 0;
}

void gh_arc_slow(uint64_t self, uint64_t from) {
  if (gh_counting_off || !gh_in_range(self)) return;
  if (from == 0) from = GPROFHUB_CALLER_UNKNOWN;
  gh_own_time_begin();
  gh_stack_note_call(self, from & ~GPROFHUB_TAIL_CONTEXT);
  /* With counters in the text only a few calls come here, which are in no order. */
  if (count(GPROFHUB_ARCS, self, from, 1) && !gh_counters_in_use()) gh_note_first_call(self);
  gh_own_time_end();
}

void gh_block_slow(uint64_t self, uint64_t unused) {
  (void)unused;
  if (gh_counting_off || !gh_in_range(self)) return;
  gh_own_time_begin();
  count(GPROFHUB_BLOCKS, self, 0, 1);
  gh_own_time_end();
}

void gh_amount_slow(uint64_t self, uint64_t from, uint64_t amount) {
  if (gh_counting_off || !gh_in_range(from)) return;
  gh_own_time_begin();
  count(GPROFHUB_ARCS, self, from, amount);
  gh_own_time_end();
}

__attribute__((visibility("default"))) void gprofhub_add(void (*quantity)(void),
                                                         unsigned long amount) {
  gh_amount((uint64_t)quantity, (uint64_t)__builtin_return_address(0), amount);
}
