/* The counts of a process, added up over its threads: one row per kind and place. */
#ifndef GPROFHUB_RUNTIME_GMON_ROWS_H_
#define GPROFHUB_RUNTIME_GMON_ROWS_H_

#include <stdint.h>

#include "profile/format/recording.h"

#pragma GCC visibility push(hidden)

struct gh_row {
  /* Of `self`, the first record of its object (gh_module_first); NULL: an empty row. */
  const struct gprofhub_module* module;
  uint32_t kind; /* GPROFHUB_ARCS, SAMPLES or BLOCKS */
  uint32_t next; /* row of the same module: index + 1; 0: the last */
  uint64_t self; /* as linked */
  uint64_t from; /* as linked; 0: unknown, or in another module */
  uint64_t count;
};

struct gh_rows {
  struct gh_row* rows;
  uint64_t capacity;
  uint64_t used;
  int failed; /* out of memory: rows are missing */
};

/* Reads all tables and counters of this process, each once. 0: out of memory. Release with
 * gh_rows_close(). */
int gh_rows_open(struct gh_rows* rows);
void gh_rows_close(struct gh_rows* rows);

#pragma GCC visibility pop

#endif
