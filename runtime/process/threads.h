/* Threads as the runtime sees them: where each is met, given a record, counters
 * and a sampler. */
#ifndef GPROFHUB_RUNTIME_PROCESS_THREADS_H_
#define GPROFHUB_RUNTIME_PROCESS_THREADS_H_

#include <stdint.h>

#include "profile/recording/format.h"

#pragma GCC visibility push(hidden)

/* 1 if this process has a recording of its own; in a forked child that still has
 * its parent's it begins one. */
int gh_process_ready(void);

/* The calling thread's record, made, sampler and all, if it has none yet.
 * NULL where the process records nothing. Async-signal-safe. */
struct gprofhub_thread* gh_thread_self(void);

/* In a forked child, before anything of the program runs. */
void gh_threads_after_fork(void);

#pragma GCC visibility pop

#endif
