/* Time in the kernel, by the function that made the system call. */
#ifndef GPROFHUB_RUNTIME_WAITING_SYSTEM_TIME_H_
#define GPROFHUB_RUNTIME_WAITING_SYSTEM_TIME_H_

#include <signal.h>
#include <ucontext.h>

#include "profile/format/recording.h"

#pragma GCC visibility push(hidden)

/* Starts for the calling thread, whose record this is. Call with signals blocked. */
void gh_system_time_start(struct gprofhub_thread* self);

/* In the handler of GH_SAMPLE_SIGNAL: 1 if the signal is from this timer. */
int gh_system_time_signal(const siginfo_t* info);

/* After that: adds the kernel time of the calling thread, whose record this is. */
void gh_system_time_take(struct gprofhub_thread* self, const ucontext_t* interrupted);

/* Stops or resumes it in all threads. Earlier time does not count. */
void gh_system_time_switch(int on);

/* Frees the timer of a dead thread. */
void gh_system_time_drop(struct gprofhub_thread* thread);

/* In a forked child, whose time begins at 0. */
void gh_system_time_after_fork(void);

#pragma GCC visibility pop

#endif
