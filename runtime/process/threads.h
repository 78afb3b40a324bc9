/* Threads in the runtime: where each is registered and gets a record, counters and a sampler. */
#ifndef GPROFHUB_RUNTIME_PROCESS_THREADS_H_
#define GPROFHUB_RUNTIME_PROCESS_THREADS_H_

#include <stdint.h>

#include "profile/format/recording.h"

#pragma GCC visibility push(hidden)

/* 1 if this process has its own recording; in a forked child that still has its parent's it
 * begins one. */
int gh_process_ready(void);

/* The calling thread's record; created on demand, with the sampler. NULL if the process records
 * nothing. Async-signal-safe. */
struct gprofhub_thread* gh_thread_self(void);

/* In a forked child, before any code of the program runs. */
void gh_threads_after_fork(void);

/* pthread_hook.c registers threads when they start. Defined only if the linker took that hook as
 * its pthread_create, to which only that name refers: a program with its own pthread_create keeps
 * it. */
extern const char gh_pthread_hook __attribute__((weak));

#pragma GCC visibility pop

#endif
