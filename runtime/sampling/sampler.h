/* Samples of the program counter, per thread, by the thread's CPU clock. */
#ifndef GPROFHUB_RUNTIME_SAMPLING_SAMPLER_H_
#define GPROFHUB_RUNTIME_SAMPLING_SAMPLER_H_

#include <signal.h>
#include <ucontext.h>

#include "profile/format/recording.h"

#pragma GCC visibility push(hidden)

/* Callbacks of the sampler's signal handler. */
struct gh_sampler_hooks {
  struct gprofhub_thread* (*meet)(void); /* returns the record of the calling thread */
  /* Carries out a timer's request (gh_timer_ask), or with 0 the one in gh_header->asked; `self`
   * is that record, or NULL. */
  void (*carry_out)(struct gprofhub_thread* self, uint32_t request);
  /* 1: the signal came from another timer of the runtime, and was handled. */
  int (*take_other)(const siginfo_t* info, const ucontext_t* interrupted);
};

/* Starts sampling the calling thread, whose record this is, if configured. Call with signals
 * blocked. */
void gh_sampler_start(struct gprofhub_thread* thread, const struct gh_sampler_hooks* hooks);

/* Stops or resumes the calling thread's timer (gmon_thread_timer). */
void gh_sampler_switch(struct gprofhub_thread* thread, int on);

/* Stops or resumes the timers of all threads, except those that gh_sampler_switch has stopped
 * (moncontrol). */
void gh_sampler_switch_all(int on);

/* Discards the samples so far, and the CPU time with them. */
void gh_sampler_reset(void);

/* Frees what a dead thread's timer held. */
void gh_sampler_drop(struct gprofhub_thread* thread);

/* At the end of the calling thread: if it has lost samples because its ring was full, counts them,
 * which no other thread can. */
void gh_sampler_end_thread(void);

/* Also samples threads other than the first (gmon_start_all_thread_timers). */
void gh_sampler_all_threads(void);

/* In a forked child, before the parent's records are released. */
void gh_sampler_after_fork(void);

/* Whether SIGPROF is the runtime's: it has a handler, and the program has none. */
int gh_sampler_has_signal(void);

/* If the calling thread blocks SIGPROF: unblocks it, and remembers that in gh_tls.blocked. */
void gh_sampler_take_signal(void);

/* Counts the pending samples of all threads in the calling thread's tables, or discards them if
 * gh_sampling_off. */
void gh_sampler_take(struct gprofhub_thread* self);

/* The same for the calling thread, whose record this is: samples from position `before`
 * (gh_ring_head) on are the runtime's own cost. */
void gh_sampler_take_own(struct gprofhub_thread* self, uint64_t before);

#pragma GCC visibility pop

#endif
