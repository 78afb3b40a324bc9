/* Events beside the time: GPROFHUB_EVENTS. Each has a ring of its own in each thread. What is in
 * them is taken where that of the time is (ring.h), and counted as a quantity of the function whose
 * code was executed. */
#ifndef GPROFHUB_RUNTIME_SAMPLING_COUNTED_EVENTS_H_
#define GPROFHUB_RUNTIME_SAMPLING_COUNTED_EVENTS_H_

#include <stdint.h>

#include "profile/recording/format.h"

#pragma GCC visibility push(hidden)

struct gh_counted_events;

/* Those of the calling thread, not begun (gh_counted_switch). NULL: none is asked for, or there are
 * none to be had, of which a line on stderr tells once. Call with signals blocked. */
struct gh_counted_events* gh_counted_start(void);

/* Takes what is in the rings into the tables of the calling thread, whose record is `into`; with
 * wanted 0, away. One at a time. */
void gh_counted_take(struct gh_counted_events* events, struct gprofhub_thread* into, int wanted);

void gh_counted_switch(const struct gh_counted_events* events, int on);

/* Frees them. What they hold is gone. */
void gh_counted_drop(struct gh_counted_events* events);

#pragma GCC visibility pop

#endif
