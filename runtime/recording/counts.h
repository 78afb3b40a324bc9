/* Counting: selects the thread's table of a key. */
#ifndef GPROFHUB_RUNTIME_RECORDING_COUNTS_H_
#define GPROFHUB_RUNTIME_RECORDING_COUNTS_H_

#include <stdint.h>

#include "profile/format/recording.h"

#pragma GCC visibility push(hidden)

/* Adds `amount` to the count of (key, context) of the calling thread, whose record this is.
 * Returns the slot's index in its table, or -1 without counting if memory is exhausted. *table,
 * unless NULL, receives the table. Async-signal-safe. */
int64_t gh_count(struct gprofhub_thread* thread, uint32_t kind, uint64_t key, uint64_t context,
                 uint64_t amount, struct gprofhub_chunk** table);

/* Appends the function, by a pc in it, to the process's order of first calls, unless it is there.
 * For functions that call mcount only: others would make the order wrong. Async-signal-safe. */
void gh_note_first_call(uint64_t self);

/* The order begins anew. Returns the table so far, which interrupted code may still use. */
struct gprofhub_chunk* gh_first_calls_forget(void);

/* Nonzero: calls and blocks are not counted. The stubs (runtime/processor) check it first. */
extern volatile int gh_counting_off;

/* Nonzero: counts go to separate memory that is never written to a file or read. */
extern volatile int gh_counting_apart;

/* Switches counting of calls and blocks off or on, in all threads at once. */
void gh_tables_switch(int on);

/* Restricts counting to [low, high) from now on. */
void gh_tables_limit(uint64_t low, uint64_t high);

/* Discards the counts of all tables; each thread begins new ones. */
void gh_tables_reset(void);

/* The same, and separates later counts, or stops separating them. */
void gh_tables_count_apart(int apart);

/* Saves the present counts of all tables of the recording as those of the mark at `place`
 * (marks.h). */
void gh_tables_mark(uint32_t place);

extern volatile uint64_t gh_range_low, gh_range_high;
static inline int gh_in_range(uint64_t pc) { return pc >= gh_range_low && pc < gh_range_high; }

#pragma GCC visibility pop

#endif
