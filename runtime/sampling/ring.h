/* Samples of a thread's program counter that the kernel writes into a ring in our memory,
 * without a signal for each. */
#ifndef GPROFHUB_RUNTIME_SAMPLING_RING_H_
#define GPROFHUB_RUNTIME_SAMPLING_RING_H_

#include <stdint.h>

#include "profile/format/recording.h"

#pragma GCC visibility push(hidden)

/* Nonzero: samples are discarded (moncontrol(0), and during the final output). */
extern volatile int gh_sampling_off;

/* After this many samples of a process the period doubles, and after twice as many it doubles
 * again, unless a rate was set. */
enum { GH_RING_MANY_SAMPLES = 32000, GH_RING_SLOWEST = 2 };

/* Makes the kernel sample the calling thread, whose id is `tid`, each gh_header->period
 * nanoseconds of its CPU time, or less often. The thread gets a GH_SAMPLE_SIGNAL long before the
 * ring is full. 0: refused, nothing has changed. */
int gh_ring_start(struct gprofhub_thread* thread, uint32_t tid);

/* Number of bytes of samples so far: position of the next sample. 0 without a ring. */
uint64_t gh_ring_head(const struct gprofhub_thread* thread);

/* Whether the thread's ring has no room for a sample, because it was not drained in time. */
int gh_ring_is_full(const struct gprofhub_thread* thread);

/* Waits for the next sample of the calling thread, whose ring was full and is drained: with it the
 * kernel reports how many it could not write. */
void gh_ring_await_sample(const struct gprofhub_thread* thread);

enum { GH_RING_ALL_IS_PROGRAM = -1 }; /* for `own_from`, as uint64_t */

/* Drains the ring of `thread` into the tables of the calling thread, whose record is `into`.
 * Samples from `own_from` (a gh_ring_head) on are the runtime's own cost. No effect if another
 * reader is active. Async-signal-safe. */
void gh_ring_take(struct gprofhub_thread* thread, struct gprofhub_thread* into, uint64_t own_from);

/* At a signal of the calling thread, which has a ring: drains it as gh_ring_take does, and starts,
 * stops or slows the thread's events down, as is due. Async-signal-safe. */
void gh_ring_alarm(struct gprofhub_thread* thread, uint64_t own_from);

/* Records that samples with the weight of 2^slowing periods may follow. */
void gh_ring_note_weight(uint32_t slowing);

/* In a forked child, which has no samples yet. */
void gh_ring_begin_anew(void);

/* Stops or resumes the ring of the calling thread, if it has one. Other threads follow at their
 * next alarm (gh_sampling_off, thread->stopped). */
void gh_ring_switch(struct gprofhub_thread* thread, int on);

/* Frees the ring and discards its contents: drain it first. */
void gh_ring_drop(struct gprofhub_thread* thread);

/* In a forked child, which does not inherit the kernel's pages: the program may have mapped others
 * there. */
void gh_ring_drop_inherited(const struct gprofhub_thread* thread);

#pragma GCC visibility pop

#endif
