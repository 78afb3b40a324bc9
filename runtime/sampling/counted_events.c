/* A sample represents the events since the previous one: its weight is their number, credited to
 * the function that was executing at the last of them. The kernel reports the number of samples
 * that a full ring dropped. Those are credited to no function, so the sums are right. */
#include "runtime/sampling/counted_events.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include "runtime/base/complain.h"
#include "runtime/base/config.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/recording.h"
#include "runtime/sampling/event_kinds.h"
#include "runtime/sampling/events.h"
#include "runtime/sampling/kernel_ring.h"

enum { DATA_PAGES = 8 };

struct counted {
  const struct gh_event_kind* kind;
  struct perf_event_mmap_page* page;
};

struct gh_counted_events {
  uint32_t count;
  struct counted counted[GH_MOST_EVENTS];
};

static uint64_t data_bytes(void) { return DATA_PAGES * gh_page_bytes(); }

static uint64_t period_of(const struct gh_event_kind* kind) {
  return kind->period ? kind->period : gh_config.event_period;
}

static uint64_t pages_bytes(void) { return gh_page_bytes() + data_bytes(); }

/* At `where`, or, if it is NULL, anywhere. */
static struct perf_event_mmap_page* start(const struct gh_event_kind* kind, void* where) {
  struct perf_event_attr attributes;
  gh_clear(&attributes, sizeof attributes);
  attributes.type = kind->type;
  attributes.config = kind->config;
  attributes.sample_period = period_of(kind);
  attributes.sample_type = PERF_SAMPLE_IP;
  attributes.watermark = 1;
  attributes.wakeup_watermark = (uint32_t)data_bytes(); /* never polled */
  return gh_event_start(&attributes, where, pages_bytes(), 0);
}

static void complain(const char* name, const char* why) {
  char line[192];
  struct gh_text text = gh_text_in(line, sizeof line);
  gh_put(&text, name);
  gh_put(&text, ": ");
  gh_put(&text, why);
  gh_complain(GH_EVENTS, "GPROFHUB_EVENTS does not count all events", line);
}

struct gh_counted_events* gh_counted_start(void) {
  if (!gh_config.events[0]) return 0;
  const struct gh_event_kind* kinds[GH_MOST_EVENTS];
  char unknown[64];
  const uint32_t asked = gh_event_kinds_named(gh_config.events, kinds, unknown, sizeof unknown);
  if (unknown[0]) complain(unknown, "unknown event, or too many events");
  const uint64_t bytes = gh_whole_pages(sizeof(struct gh_counted_events));
  const long memory =
      GH_CALL6(mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (GH_FAILED(memory)) return 0;
  struct gh_counted_events* const events = (struct gh_counted_events*)memory;
  for (uint32_t i = 0; i < asked; ++i) {
    struct counted* const counted = &events->counted[events->count];
    counted->kind = kinds[i];
    counted->page = start(kinds[i], 0);
    if (counted->page) {
      ++events->count;
    } else {
      complain(kinds[i]->name,
               "perf_event_open failed, or its memory limit (ulimit -l) is reached");
    }
  }
  if (events->count) return events;
  GH_CALL2(munmap, events, bytes);
  return 0;
}

static void count(struct gprofhub_thread* into, const struct gh_event_kind* kind, uint64_t from,
                  uint64_t samples) {
  if (from != GPROFHUB_CALLER_UNKNOWN && !gh_in_range(from)) return;
  const uint64_t events = samples * period_of(kind);
  if (gh_count(into, GPROFHUB_ARCS, (uint64_t)kind->quantity, from, events, 0) < 0) {
    gh_lose(GPROFHUB_LOST_ARCS, 1);
  }
}

static void take(struct counted* counted, struct gprofhub_thread* into, int wanted) {
  struct perf_event_mmap_page* const page = counted->page;
  uint64_t at = page->data_tail;
  while (at < __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE)) {
    const struct perf_event_header header = gh_kernel_ring_record(page, data_bytes(), at);
    if (header.size == 0) break;
    if (header.type == PERF_RECORD_SAMPLE && wanted) {
      /* Callers are identified by return addresses, which are after the call. */
      count(into, counted->kind, gh_kernel_ring_word(page, data_bytes(), at + 8) + 1, 1);
    } else if (header.type == PERF_RECORD_LOST && wanted) {
      count(into, counted->kind, GPROFHUB_CALLER_UNKNOWN,
            gh_kernel_ring_word(page, data_bytes(), at + 16));
    }
    at += header.size;
    __atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
  }
}

void gh_counted_take(struct gh_counted_events* events, struct gprofhub_thread* into, int wanted) {
  if (!events) return;
  for (uint32_t i = 0; i < events->count; ++i) take(&events->counted[i], into, wanted);
}

void gh_counted_switch(const struct gh_counted_events* events, int on) {
  for (uint32_t i = 0; events && i < events->count; ++i) {
    if (on) {
      start(events->counted[i].kind, events->counted[i].page);
    } else {
      gh_event_stop(events->counted[i].page, pages_bytes());
    }
  }
}

void gh_counted_drop_inherited(struct gh_counted_events* events) {
  if (events) GH_CALL2(munmap, events, gh_whole_pages(sizeof *events));
}

void gh_counted_drop(struct gh_counted_events* events) {
  for (uint32_t i = 0; events && i < events->count; ++i) {
    GH_CALL2(munmap, events->counted[i].page, pages_bytes());
  }
  gh_counted_drop_inherited(events);
}
