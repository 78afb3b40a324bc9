/* Events counted in addition to time: GPROFHUB_EVENTS. Each thread has one ring per event. The
 * rings are drained together with that of the time (ring.h), and their samples counted as a
 * quantity of the executing function. */
#ifndef GPROFHUB_RUNTIME_SAMPLING_COUNTED_EVENTS_H_
#define GPROFHUB_RUNTIME_SAMPLING_COUNTED_EVENTS_H_

#include <stdint.h>

#include "profile/format/recording.h"

#pragma GCC visibility push(hidden)

struct gh_counted_events;

/* Starts those of the calling thread. NULL: none was requested, or
 * they are unavailable, which is reported once on stderr. Call with signals blocked. */
struct gh_counted_events* gh_counted_start(void);

/* Drains the rings into the tables of the calling thread, whose record is `into`; with wanted 0,
 * discards their contents. One caller at a time. */
void gh_counted_take(struct gh_counted_events* events, struct gprofhub_thread* into, int wanted);

/* Stops those of the calling thread, which discards their contents, or resumes them. */
void gh_counted_switch(const struct gh_counted_events* events, int on);

/* Frees them and discards their contents. */
void gh_counted_drop(struct gh_counted_events* events);

/* In a forked child. */
void gh_counted_drop_inherited(struct gh_counted_events* events);

#pragma GCC visibility pop

#endif
