/* Counters that stand in the program's text: beside each call, function entry
 * or block the assembler shim (runtime/assembler) puts one
 *
 *     incq %gs:COUNTER(%rip)
 *
 * COUNTER lies in the module's own array of counters, the section
 * gprofhub_counters. With the gs base at 0, as the kernel gives it, that very
 * array counts: before the runtime has begun. Each thread's gs base is the
 * distance from the modules' arrays to copies of them that are its own and
 * lie in the recording: the same distance for all modules. No call, no
 * thread-local storage, no limit but address space. */
#ifndef GPROFHUB_RUNTIME_COUNTERS_COUNTERS_H_
#define GPROFHUB_RUNTIME_COUNTERS_COUNTERS_H_

#include <stdint.h>

#include "profile/recording/format.h"
#include "runtime/counters/sites.h"

#pragma GCC visibility push(hidden)

/* Takes a module's counters into account from here on: all threads met so far
 * have counters of their own for it. Ends the process, saying why, if that cannot
 * be. Call gh_counters_begin() for the calling thread then. */
void gh_counters_add(const struct gh_counter_set* set);

/* Gives the calling thread, whose record this is, counters of its own. Call
 * with signals blocked. */
void gh_counters_begin(struct gprofhub_thread* thread);

/* 1 if any module has such counters. */
int gh_counters_in_use(void);

/* Counting off or on again, in all threads at once (moncontrol). */
void gh_counters_switch(int on);

/* What was counted so far is not. */
void gh_counters_reset(void);

/* What lies outside of the range of counts.h is left out, whenever it was or will
 * be counted. */
void gh_counters_limit(void);

/* In a forked child, before the parent's recording is let go. */
void gh_counters_after_fork(void);

/* Calls `visit` with every nonzero count of this process, sites of all
 * threads one after the other: for INDIRECT sites `self` is what was called, for
 * TAIL sites `from` is who called. */
void gh_counters_visit(void* to, void (*visit)(void* to, uint32_t kind, uint64_t self,
                                               uint64_t from, uint64_t count));

/* Calls `visit` with every site, whatever it counted. */
void gh_sites_visit(void* to, void (*visit)(void* to, uint32_t kind, uint64_t self, uint64_t from));

/* Keeps what all counters count now as that of the mark at `place` (runtime/recording/marks.h). */
void gh_counters_mark(uint32_t place);

#pragma GCC visibility pop

#endif
