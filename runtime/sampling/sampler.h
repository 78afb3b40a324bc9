/* Samples of the program counter, per thread, by its own CPU clock. */
#ifndef GPROFHUB_RUNTIME_SAMPLING_SAMPLER_H_
#define GPROFHUB_RUNTIME_SAMPLING_SAMPLER_H_

#include <signal.h>
#include <ucontext.h>

#include "profile/recording/format.h"

#pragma GCC visibility push(hidden)

/* What the sampler's signal handler asks of those who know more. */
struct gh_sampler_hooks {
  struct gprofhub_thread* (*meet)(void); /* the record of the thread that it is called in */
  /* Does what a timer asked for (gh_timer_ask), or with 0 what gh_header->asked asks for; `self`
   * is that record, or NULL. */
  void (*carry_out)(struct gprofhub_thread* self, uint32_t request);
  /* 1: the signal was not the sampler's, but of another timer of the runtime, and is dealt with. */
  int (*take_other)(const siginfo_t* info, const ucontext_t* interrupted);
};

/* Begins sampling the calling thread, whose record this is, if the configuration wants it.
 * Call with signals blocked. */
void gh_sampler_start(struct gprofhub_thread* thread, const struct gh_sampler_hooks* hooks);

/* Stops or resumes the calling thread's timer (gmon_thread_timer). */
void gh_sampler_switch(struct gprofhub_thread* thread, int on);

/* Stops or resumes the timers of all threads, but for those that gh_sampler_switch has
 * stopped (moncontrol). */
void gh_sampler_switch_all(int on);

/* The samples taken until now are forgotten, and the CPU time with them. */
void gh_sampler_reset(void);

/* Frees what a dead thread's timer held. */
void gh_sampler_drop(struct gprofhub_thread* thread);

/* Threads other than the first are sampled too (gmon_start_all_thread_timers). */
void gh_sampler_all_threads(void);

/* In a forked child, before the parent's records are let go. */
void gh_sampler_after_fork(void);

/* The samples of all threads that still wait to be counted are counted, by the
 * calling thread, or thrown away if gh_sampling_off. */
void gh_sampler_take(struct gprofhub_thread* self);

/* The same of the calling thread, whose record this is: those since its gh_ring_head
 * was `before` are the runtime's own cost. */
void gh_sampler_take_own(struct gprofhub_thread* self, uint64_t before);

#pragma GCC visibility pop

#endif
