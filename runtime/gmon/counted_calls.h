/* Counts of the counters in the text (counters.h) as arcs, for the gmon files that a process
 * writes itself. profile/recording/counts.h does the same from a recording. */
#ifndef GPROFHUB_RUNTIME_GMON_COUNTED_CALLS_H_
#define GPROFHUB_RUNTIME_GMON_COUNTED_CALLS_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)

struct gh_calls {
  struct gh_place* places; /* functions and indirect call sites, by address */
  uint64_t count;
  uint64_t bytes;
};

/* Collects all counts; 0: out of memory. Release with gh_calls_close(). */
int gh_calls_open(struct gh_calls* calls);
void gh_calls_close(struct gh_calls* calls);

/* Whether an arc of the tables is valid: 0 if it leads from code with counters in its text to a
 * function without counters. */
int gh_calls_table_arc(const struct gh_calls* calls, uint64_t from, uint64_t self);

/* Calls `visit` with every arc that counters in the text counted, and, from
 * GPROFHUB_CALLER_UNKNOWN, with the entry counts in excess of these. */
void gh_calls_visit(const struct gh_calls* calls, void* to,
                    void (*visit)(void* to, uint64_t from, uint64_t self, uint64_t count));

#pragma GCC visibility pop

#endif
