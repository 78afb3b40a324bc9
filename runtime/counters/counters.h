/* Counters in the program's text: at each call, function entry or block the assembler shim
 * (runtime/assembler) inserts one
 *
 *     incq %gs:COUNTER(%rip)
 *
 * COUNTER is in the module's own array of counters, the section gprofhub_counters. With the gs
 * base at 0, the kernel's default, this array itself counts, until the runtime has started. Each
 * thread's gs base is the distance from the modules' arrays to the thread's own copies in the
 * recording: the same distance for all modules. It takes no call and no thread-local storage,
 * and is limited by address space only. */
#ifndef GPROFHUB_RUNTIME_COUNTERS_COUNTERS_H_
#define GPROFHUB_RUNTIME_COUNTERS_COUNTERS_H_

#include <stdint.h>

#include "profile/format/recording.h"
#include "runtime/counters/sites.h"

#pragma GCC visibility push(hidden)

/* Registers a module's counters: all threads known so far get counters for it. If that is
 * impossible, ends the process with a message. The caller must then call gh_counters_begin() for
 * the calling thread. */
void gh_counters_add(const struct gh_counter_set* set);

/* Gives the calling thread, whose record this is, its own counters. Call with signals blocked. */
void gh_counters_begin(struct gprofhub_thread* thread);

/* 1 if any module has such counters. */
int gh_counters_in_use(void);

/* Switches counting off or on, in all threads at once (moncontrol). */
void gh_counters_switch(int on);

/* Excludes all counts so far. */
void gh_counters_reset(void);

/* Excludes code outside of the range of counts.h, for past and future counts. */
void gh_counters_limit(void);

/* In a forked child, before the parent's recording is released. */
void gh_counters_after_fork(void);

/* Calls `visit` with every nonzero count of this process, the sites of all threads in sequence:
 * for INDIRECT sites `self` is the callee, for TAIL sites `from` is the caller. */
void gh_counters_visit(void* to, void (*visit)(void* to, uint32_t kind, uint64_t self,
                                               uint64_t from, uint64_t count));

/* Calls `visit` with every site, including those with count 0. */
void gh_sites_visit(void* to, void (*visit)(void* to, uint32_t kind, uint64_t self, uint64_t from));

/* Saves the present counts of all counters as those of the mark at `place`
 * (runtime/recording/marks.h). */
void gh_counters_mark(uint32_t place);

#pragma GCC visibility pop

#endif
