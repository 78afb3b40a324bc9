/* Samples of a thread's program counter that the kernel puts into a ring in our
 * memory, without a signal for each. */
#ifndef GPROFHUB_RUNTIME_SAMPLING_RING_H_
#define GPROFHUB_RUNTIME_SAMPLING_RING_H_

#include <stdint.h>

#include "profile/recording/format.h"

#pragma GCC visibility push(hidden)

/* Not 0: samples are thrown away (moncontrol(0), and while the end is written). */
extern volatile int gh_sampling_off;

/* After so many samples of a process each stands for twice as long, and after twice
 * as many for four times as long: unless a rate was asked for. */
enum { GH_RING_MANY_SAMPLES = 32000, GH_RING_SLOWEST = 2 };

/* Lets the kernel sample the calling thread, whose id is `tid`, each
 * gh_header->period nanoseconds of its CPU time, or less often. The thread gets a GH_SAMPLE_SIGNAL
 * long before the ring is full. 0: refused, nothing has changed. */
int gh_ring_start(struct gprofhub_thread* thread, uint32_t tid);

/* How many bytes of samples the thread has had; those from here on are of what comes
 * next. 0 without a ring. */
uint64_t gh_ring_head(const struct gprofhub_thread* thread);

enum { GH_RING_ALL_IS_PROGRAM = -1 }; /* for `own_from`, as uint64_t */

/* Takes what is in the ring of `thread` into the tables of the calling thread,
 * whose record is `into`. Samples from `own_from` (a gh_ring_head) on are the runtime's own cost.
 * Nothing happens if that is being done already. Async-signal-safe. */
void gh_ring_take(struct gprofhub_thread* thread, struct gprofhub_thread* into, uint64_t own_from);

/* The next signal of the calling thread, which has a ring, may come later than the last. */
void gh_ring_defer_alarm(struct gprofhub_thread* thread);

/* The calling thread, which has a ring, is sampled less often if its process has many
 * samples. What waits in the ring is taken first, as gh_ring_take(thread, thread, own_from)
 * does. Async-signal-safe. */
void gh_ring_slow_down(struct gprofhub_thread* thread, uint64_t own_from);

/* From now on there may be samples that stand for 2^slowing periods. */
void gh_ring_note_weight(uint32_t slowing);

/* In a forked child, which has no samples yet. */
void gh_ring_begin_anew(void);

/* Stops or resumes a thread's that has one. */
void gh_ring_switch(const struct gprofhub_thread* thread, int on);

/* Frees it. What it holds is gone: take it before. */
void gh_ring_drop(struct gprofhub_thread* thread);

/* In a forked child, which has the parent's descriptors, not its ring. */
void gh_ring_drop_inherited(const struct gprofhub_thread* thread);

#pragma GCC visibility pop

#endif
