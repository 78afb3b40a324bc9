/* Counting: which of a thread's tables a key goes to. */
#ifndef GPROFHUB_RUNTIME_RECORDING_COUNTS_H_
#define GPROFHUB_RUNTIME_RECORDING_COUNTS_H_

#include <stdint.h>

#include "profile/recording/format.h"

#pragma GCC visibility push(hidden)

/* Adds `amount` to the count of (key, context) of the calling thread, whose
 * record this is; the slot's index in its table, or -1 if there was no memory
 * (then nothing is counted). *table, unless NULL, receives the table.
 * Async-signal-safe. */
int64_t gh_count(struct gprofhub_thread* thread, uint32_t kind, uint64_t key, uint64_t context,
                 uint64_t amount, struct gprofhub_chunk** table);

/* Not 0: calls and blocks are not counted. The stubs (runtime/processor) ask for it first. */
extern volatile int gh_counting_off;

/* Not 0: what is counted goes into memory of its own, which no file and no reader ever sees. */
extern volatile int gh_counting_apart;

/* Counting of calls and blocks off or on again, in all threads at once. */
void gh_tables_switch(int on);

/* What lies outside of [low, high) is not to be counted from now on. */
void gh_tables_limit(uint64_t low, uint64_t high);

/* What all tables hold is thrown away, and each thread begins new ones. */
void gh_tables_reset(void);

/* The same, and what is counted from now on is counted apart, or not any more. */
void gh_tables_count_apart(int apart);

/* Keeps what all tables of the recording hold now as that of the mark at `place` (marks.h). */
void gh_tables_mark(uint32_t place);

extern volatile uint64_t gh_range_low, gh_range_high;
static inline int gh_in_range(uint64_t pc) { return pc >= gh_range_low && pc < gh_range_high; }

#pragma GCC visibility pop

#endif
