/* What GPROFHUB_EVENTS can name: perf's names, what the kernel knows them by, and the quantity
 * (runtime/gprofhub.h) that they are counted as. The quantities' names are what people see. */
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
  /* Events between two samples; each sample counts as so many. 0: as GPROFHUB_EVENT_PERIOD says. */
  uint32_t period;
};

enum { GH_MOST_EVENTS = 8 };

/* Puts the kinds that a list like "page-faults,instructions" names into `kinds`, each once; returns
 * how many. The first name that is unknown, or one too many, is put into `unknown`, else "". */
uint32_t gh_event_kinds_named(const char* list, const struct gh_event_kind* kinds[GH_MOST_EVENTS],
                              char* unknown, uint64_t size);

#pragma GCC visibility pop

#endif
