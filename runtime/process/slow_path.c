/* What the stubs (arc_stubs_x86_64.S) call where they do not find a key. */
#include "runtime/base/text.h"
#include "runtime/process/threads.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/thread_records.h"
#include "runtime/sampling/ring.h"
#include "runtime/sampling/sampler.h"
#include "runtime/sampling/stacks.h"

enum { INCREMENT_BYTES = 8 /* of incq %gs:disp32(%rip); disp32 are the last four */ };

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

__attribute__((visibility("hidden"))) void gh_arc_slow(uint64_t self, uint64_t from);
__attribute__((visibility("hidden"))) void gh_indirect_slow(uint64_t self, uint64_t from);
__attribute__((visibility("hidden"))) void gh_block_slow(uint64_t self, uint64_t unused);

/* What is sampled in between is the runtime's own cost, wherever it is. Samples in a
 * ring are known by where the ring stood, which can be asked for once the thread and
 * its process are known to have one. */
static void enter(void) {
  if (gh_tls.inside == 0) *(volatile uint64_t*)&gh_tls.before = UINT64_MAX;
  *(volatile uint32_t*)&gh_tls.inside += 1;
}

static void leave(void) {
  *(volatile uint32_t*)&gh_tls.inside -= 1;
  if (gh_tls.inside == 0 && gh_tls.before != UINT64_MAX) {
    gh_sampler_take_own(gh_tls.thread, gh_tls.before);
  }
}

static void count(uint32_t kind, uint64_t key, uint64_t context) {
  struct gprofhub_thread* thread = gh_thread_self();
  if (thread && gh_tls.before == UINT64_MAX) gh_tls.before = gh_ring_head(thread);
  if (!thread || gh_count(thread, kind, key, context, 1, 0) < 0) gh_lose(GPROFHUB_LOST_ARCS, 1);
}

void gh_arc_slow(uint64_t self, uint64_t from) {
  if (gh_counting_off || !gh_in_range(self)) return;
  if (from == 0) from = GPROFHUB_CALLER_UNKNOWN;
  enter();
  gh_stack_note_call(self, from);
  count(GPROFHUB_ARCS, self, from);
  leave();
}

void gh_block_slow(uint64_t self, uint64_t unused) {
  (void)unused;
  if (gh_counting_off || !gh_in_range(self)) return;
  enter();
  count(GPROFHUB_BLOCKS, self, 0);
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
