/* The events of GPROFHUB_EVENTS: perf's names, the kernel's identifiers, and the quantity
 * (runtime/gprofhub.h) that they are counted as. The quantities' names appear in reports. */
#ifndef GPROFHUB_RUNTIME_SAMPLING_EVENT_KINDS_H_
#define GPROFHUB_RUNTIME_SAMPLING_EVENT_KINDS_H_

#include <stdint.h>

#pragma GCC visibility push(default)

void gprofhub_event_page_faults(void);
void gprofhub_event_minor_faults(void);
void gprofhub_event_major_faults(void);
void gprofhub_event_task_clock_nanoseconds(void);
void gprofhub_event_cpu_clock_nanoseconds(void);
void gprofhub_event_instructions(void);
void gprofhub_event_cycles(void);
void gprofhub_event_branches(void);
void gprofhub_event_branch_misses(void);
void gprofhub_event_cache_references(void);
void gprofhub_event_cache_misses(void);

#pragma GCC visibility pop
#pragma GCC visibility push(hidden)

struct gh_event_kind {
  const char* name;
  void (*quantity)(void);
  uint32_t type; /* PERF_TYPE_… */
  uint32_t config;
  /* Events per sample, which is also the sample's weight. 0: from GPROFHUB_EVENT_PERIOD. */
  uint32_t period;
};

enum { GH_MOST_EVENTS = 8 };

/* Parses a list like "page-faults,instructions" into `kinds`, each once; returns their number.
 * `unknown` is set to the first name that is unknown or exceeds the limit, otherwise to "". */
uint32_t gh_event_kinds_named(const char* list, const struct gh_event_kind* kinds[GH_MOST_EVENTS],
                              char* unknown, uint64_t size);

#pragma GCC visibility pop

#endif
