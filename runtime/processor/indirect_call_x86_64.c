/* Calls through pointers from code with counters in its text (runtime/counters), whose
 * callee is none of those that the site's own words count. */
#if defined(__x86_64__)

#include <stdint.h>

#include "runtime/processor/processor.h"

enum { INCREMENT_BYTES = 8 /* of incq %gs:disp32(%rip); disp32 are the last four */ };

/* The calling thread's copies of counters in the text. */
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

#endif
