#include "runtime/sampling/event_kinds.h"

#include <linux/perf_event.h>

#include "runtime/base/text.h"
#include "runtime/gprofhub.h"

GPROFHUB_QUANTITY(gprofhub_event_page_faults)
GPROFHUB_QUANTITY(gprofhub_event_minor_faults)
GPROFHUB_QUANTITY(gprofhub_event_major_faults)
GPROFHUB_QUANTITY(gprofhub_event_task_clock_nanoseconds)
GPROFHUB_QUANTITY(gprofhub_event_cpu_clock_nanoseconds)
GPROFHUB_QUANTITY(gprofhub_event_instructions)
GPROFHUB_QUANTITY(gprofhub_event_cycles)
GPROFHUB_QUANTITY(gprofhub_event_branches)
GPROFHUB_QUANTITY(gprofhub_event_branch_misses)
GPROFHUB_QUANTITY(gprofhub_event_cache_references)
GPROFHUB_QUANTITY(gprofhub_event_cache_misses)

/* Faults are rare, so each is counted. Misses are rarer than the accesses they belong to. */
enum { EACH = 1, MILLISECOND = 1000000, AS_ASKED = 0, RARE = 20000 };

static const struct gh_event_kind kKinds[] = {
#define SOFTWARE(name, quantity, which, period) \
  { name, gprofhub_event_##quantity, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##which, period }
#define HARDWARE(name, quantity, which, period) \
  { name, gprofhub_event_##quantity, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##which, period }
    SOFTWARE("page-faults", page_faults, PAGE_FAULTS, EACH),
    SOFTWARE("minor-faults", minor_faults, PAGE_FAULTS_MIN, EACH),
    SOFTWARE("major-faults", major_faults, PAGE_FAULTS_MAJ, EACH),
    SOFTWARE("task-clock", task_clock_nanoseconds, TASK_CLOCK, MILLISECOND),
    SOFTWARE("cpu-clock", cpu_clock_nanoseconds, CPU_CLOCK, MILLISECOND),
    HARDWARE("instructions", instructions, INSTRUCTIONS, AS_ASKED),
    HARDWARE("cycles", cycles, CPU_CYCLES, AS_ASKED),
    HARDWARE("branches", branches, BRANCH_INSTRUCTIONS, AS_ASKED),
    HARDWARE("branch-misses", branch_misses, BRANCH_MISSES, RARE),
    HARDWARE("cache-references", cache_references, CACHE_REFERENCES, RARE),
    HARDWARE("cache-misses", cache_misses, CACHE_MISSES, RARE),
#undef SOFTWARE
#undef HARDWARE
};
enum { KINDS = sizeof kKinds / sizeof kKinds[0] };

static const struct gh_event_kind* kind_named(const char* name) {
  for (int i = 0; i < KINDS; ++i) {
    if (gh_equal(name, kKinds[i].name)) return &kKinds[i];
  }
  return 0;
}

static int holds(const struct gh_event_kind* const* kinds, uint32_t count,
                 const struct gh_event_kind* kind) {
  for (uint32_t i = 0; i < count; ++i) {
    if (kinds[i] == kind) return 1;
  }
  return 0;
}

uint32_t gh_event_kinds_named(const char* list, const struct gh_event_kind* kinds[GH_MOST_EVENTS],
                              char* unknown, uint64_t size) {
  uint32_t count = 0;
  unknown[0] = 0;
  while (*list) {
    uint64_t length = 0;
    while (list[length] && list[length] != ',') ++length;
    char name[64];
    struct gh_text text = gh_text_in(name, sizeof name);
    gh_put_bytes(&text, list, length);
    list += length + (list[length] == ',');
    if (length == 0) continue;
    const struct gh_event_kind* const kind = kind_named(name);
    if (kind && holds(kinds, count, kind)) continue;
    if (kind && count < GH_MOST_EVENTS) {
      kinds[count++] = kind;
    } else if (!unknown[0]) {
      struct gh_text into = gh_text_in(unknown, size);
      gh_put(&into, name);
    }
  }
  return count;
}
