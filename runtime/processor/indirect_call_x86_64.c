/* Calls through pointers and tail jumps in code with counters in its text (runtime/counters)
 * that the site's own words do not count. */
#if defined(__x86_64__)

#include <stdint.h>

#include "profile/format/recording.h"
#include "runtime/processor/call_code.h"
#include "runtime/processor/processor.h"

enum { INCREMENT_BYTES = 8 /* of incq %gs:disp32(%rip); disp32 are the last four */ };

/* The calling thread's copies of counters in the text. */
static void add_to_own(uint64_t* counter, int64_t amount) {
  __asm__ volatile("addq %1, %%gs:%0" : "+m"(*counter) : "er"(amount) : "cc");
}

/* True if the word contains `value`; an empty word is set to it. */
static int claim(uint64_t* word, uint64_t value) {
  uint64_t held = 0;
  __asm__ volatile("cmpxchgq %2, %%gs:%1" : "+a"(held), "+m"(*word) : "r"(value) : "cc", "memory");
  return held == 0 || held == value;
}

#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN void gh_arc_slow(uint64_t self, uint64_t from);
HIDDEN void gh_indirect_slow(uint64_t self, uint64_t from);
HIDDEN void gh_tail_slow(uint64_t self, uint64_t site, uint64_t from);
HIDDEN void gh_tail_pointer_slow(uint64_t self, uint64_t site, uint64_t from);

/* A site has words for the first two addresses of a thread: pairs of address and count. The stub
 * returns to the increment of the second count. */
static uint64_t* second_count_of(uint64_t site) {
  int32_t offset;
  gh_copy(&offset, (const char*)site + INCREMENT_BYTES - sizeof offset, sizeof offset);
  return (uint64_t*)(site + INCREMENT_BYTES + (uint64_t)(int64_t)offset);
}

/* If `address` is or becomes one of the two, counts it and returns true. */
static int count_in_words(uint64_t site, uint64_t address) {
  uint64_t* const second = second_count_of(site);
  uint64_t* const first = second - 2;
  if (claim(first - 1, address)) {
    add_to_own(first, 1);
    add_to_own(second, -1);
    return 1;
  }
  return claim(second - 1, address);
}

/* The addresses are those of callees. A pointer to an ifunc, or to a function of a shared object,
 * may lead to an entry of a procedure linkage table. Such calls come here each time. */
void gh_indirect_slow(uint64_t self, uint64_t from) {
  const uint64_t function = gh_function_at(self);
  if (function == self && count_in_words(from, self)) return;
  gh_arc_slow(function, from);
  add_to_own(second_count_of(from), -1);
}

/* The addresses are return addresses in callers. */
void gh_tail_slow(uint64_t self, uint64_t site, uint64_t from) {
  if (count_in_words(site, from)) return;
  gh_arc_slow(self, from | GPROFHUB_TAIL_CONTEXT);
  add_to_own(second_count_of(site), -1);
}

void gh_tail_pointer_slow(uint64_t self, uint64_t site, uint64_t from) {
  (void)site;
  gh_arc_slow(gh_function_at(self), from | GPROFHUB_TAIL_CONTEXT);
}

#endif
