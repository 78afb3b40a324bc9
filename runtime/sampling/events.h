/* perf_event's events of the calling thread, in user mode. */
#ifndef GPROFHUB_RUNTIME_SAMPLING_EVENTS_H_
#define GPROFHUB_RUNTIME_SAMPLING_EVENTS_H_

#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { GH_SAMPLE_SIGNAL = SIGPROF };

struct gh_event {
  int32_t fd; /* -1: none */
  uint64_t id;
};

/* Opens a disabled event; fills the common fields of `attributes`. The fd is -1 if the kernel
 * refuses. */
struct gh_event gh_event_open(struct perf_event_attr* attributes);

/* Makes the event send GH_SAMPLE_SIGNAL to the thread `tid`; 0: refused. */
int gh_event_signal(struct gh_event event, uint32_t tid);

/* Sets the period of its overflows. */
void gh_event_set_period(struct gh_event event, uint64_t period);

/* Stops or resumes it. */
void gh_event_switch(struct gh_event event, int on);

/* Closes it, unless the program has closed the number and reused it. */
void gh_event_close(struct gh_event event);

#pragma GCC visibility pop

#endif
