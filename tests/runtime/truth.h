/* The stress program's own counts: incremented around every call, in a file that
 * outlives the process as the recording must. */
#ifndef GPROFHUB_TESTS_RUNTIME_TRUTH_H_
#define GPROFHUB_TESTS_RUNTIME_TRUTH_H_

#include <stdint.h>

enum { TRUTH_SLOTS = 4096 };

/* The calls counted, as functions of the program and of its plugin. */
enum truth_function { TRUTH_LEAF, TRUTH_HANDLER, TRUTH_COMPARE, TRUTH_PLUGIN, TRUTH_FUNCTIONS };

/* Of one thread of one process. A killed thread leaves before = after + 1 for a
 * call that may or may not have been counted. */
struct truth_slot {
  uint64_t pid;
  uint64_t before[TRUTH_FUNCTIONS];
  uint64_t after[TRUTH_FUNCTIONS];
};

struct truth {
  uint64_t used;
  struct truth_slot slots[TRUTH_SLOTS];
};

#endif
