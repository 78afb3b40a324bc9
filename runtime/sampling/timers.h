/* A thread's timer, independent of the mechanism: GH_SAMPLE_SIGNAL comes after each period
 * (gh_header->period) of CPU time, or of events. */
#ifndef GPROFHUB_RUNTIME_SAMPLING_TIMERS_H_
#define GPROFHUB_RUNTIME_SAMPLING_TIMERS_H_

#include <signal.h>
#include <stdint.h>
#include <time.h>

#include "profile/format/recording.h"
#include "runtime/base/syscalls.h"

#pragma GCC visibility push(hidden)

/* The CPU clock of a thread of this process (clock_getres(2), "CPU-time clocks"). */
#define GH_CLOCK_OF_THREAD(tid) ((clockid_t)(~(tid) << 3 | 6))

/* Nanoseconds; 0 if the thread is gone. */
static inline uint64_t gh_cpu_clock(clockid_t clock) {
  struct timespec now = {0};
  GH_CALL2(clock_gettime, clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Starts the timer of the calling thread, whose id is `tid`, by the mechanism `how`, a
 * gprofhub_mechanism; 0: refused. */
int gh_timer_start(uint32_t how, struct gprofhub_thread* thread, uint32_t tid);

/* After `milliseconds` of wall time the process gets a GH_SAMPLE_SIGNAL, for which gh_timer_asks
 * returns the request (of the lower byte); with `again`, periodically. 0: refused. A forked
 * child does not inherit it. */
int gh_timer_ask(uint32_t request, uint64_t milliseconds, int again);
uint32_t gh_timer_asks(const siginfo_t* info); /* 0: another signal */

/* Creates a timer on the CPU clock of the thread `tid`, including time in the kernel, whose
 * GH_SAMPLE_SIGNAL to that thread has the value `value`. It is disarmed. Returns its id, or -1:
 * refused. */
int32_t gh_timer_of_thread(uint32_t value, uint32_t tid);

/* Fires after `first` nanoseconds (0: never) and then each `every`. */
void gh_timer_set(int32_t timer, uint64_t first, uint64_t every);
void gh_timer_delete(int32_t timer);

/* Periods of CPU time that a signal represents; 0 if they were counted before. */
uint64_t gh_timer_weigh(const struct gprofhub_thread* thread, const siginfo_t* info);

/* Stops or resumes a thread's timer, from any thread. Events go on: their samples are discarded. A
 * timer for the whole process is switched by gh_timer_switch_process. */
void gh_timer_switch(const struct gprofhub_thread* thread, int on);

/* The same for the one timer of all threads (GPROFHUB_ITIMER_PROF). */
void gh_timer_switch_process(int on);

/* Frees the timer of a dead thread. */
void gh_timer_drop(struct gprofhub_thread* thread);

#pragma GCC visibility pop

#endif
