/* perf_event's events of the calling thread, in user mode. An event lives as long as its pages are
 * mapped: it has no descriptor, so none is visible to the program, and none can be closed by it. A
 * forked child does not inherit the pages. */
#ifndef GPROFHUB_RUNTIME_SAMPLING_EVENTS_H_
#define GPROFHUB_RUNTIME_SAMPLING_EVENTS_H_

#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { GH_SAMPLE_SIGNAL = SIGPROF };

/* Starts an event and maps `bytes` of its pages, the control page first: at `where`, whose pages
 * are replaced, or, if it is NULL, anywhere. Fills the common fields of `attributes`. If `tid` is
 * not 0, each wakeup sends GH_SAMPLE_SIGNAL to that thread. NULL: refused, and the pages at `where`
 * are readable. Call with signals blocked. */
void* gh_event_start(struct perf_event_attr* attributes, void* where, uint64_t bytes, uint32_t tid);

/* Ends the event and replaces its pages by zeroed memory. */
void gh_event_stop(void* where, uint64_t bytes);

#pragma GCC visibility pop

#endif
