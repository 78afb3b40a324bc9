/* A signal for each sample doubles the cost of the kernel's timer. So perf_event writes samples
 * (only the program counter) into a shared ring, and a second event of the same clock, the
 * alarm, sends a signal every few milliseconds, in which the thread drains its ring. The ring's
 * own watermark is not usable: an event with a ring and a signal sends one for each sample. Both
 * count user mode only, so the signal never interrupts a system call.
 *
 * A killed process loses the samples in its rings: at most ALARM_NS of each thread. An orderly
 * exit drains all rings (gh_sampler_take). At its alarm a thread also drains the ring of one
 * other thread, in turns, so that few samples of dead threads are lost. A process that ends by
 * _exit before its first alarm would lose all. So the first alarm comes after one sample, and
 * the interval doubles each time.
 *
 * A ring belongs to its thread's event, but any thread of the process may read it, also after
 * the owner's end. There is one reader at a time; a second one need not wait, because the first
 * drains everything. Only the owner replaces an event, locked like a reader: without descriptors
 * (events.h) a new period is a new event at the same address.
 *
 * While sampling is off the owner has only the alarm, in which it sees that sampling is on again.
 *
 * The power of a comparison of times depends on the number of samples, not on their rate: short
 * tests have too few, long ones more than needed. So a process begins at the full rate, and is
 * sampled half and then a quarter as often once it has many samples. A sample then has the
 * weight of two or four periods, so that counts stay proportional to seconds. The weights in use
 * are recorded (sample_weights), because the precision of counts depends on them. The weight
 * belongs to the ring and changes while the ring is empty, locked, and its event stopped. So
 * each sample has the weight of its period.
 *
 * Stacks are unwound by frame pointers while the thread is stopped (stacks.c), and so need a
 * signal for each sample. */
#include "runtime/sampling/ring.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include "runtime/base/config.h"
#include "runtime/base/syscalls.h"
#include "runtime/processor/machine.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/thread_records.h"
#include "runtime/sampling/counted_events.h"
#include "runtime/sampling/events.h"
#include "runtime/sampling/kernel_ring.h"

volatile int gh_sampling_off;

enum {
  DATA_PAGES = 2, /* 512 samples, where a page has 4 KiB */
  SAMPLE_BYTES = 16,
  ALARM_NS = 16000000,
  OFF_ALARM_NS = 4000000
};

static uint64_t ring_bytes(void) { return DATA_PAGES * gh_page_bytes(); }

/* Private memory before the kernel's pages: the alarm's, and the ring's with its data. */
struct gh_ring {
  int32_t taken;         /* locked by a reader, or while events are replaced */
  uint32_t slowing;      /* a sample's weight is 2^slowing periods */
  uint64_t alarm_period; /* nanoseconds */
  struct gh_counted_events* counted;
  uint32_t on; /* the ring has an event */
};

static uint64_t samples_so_far; /* of this process */

static struct gh_ring* ring_of(const struct gprofhub_thread* thread) {
  return (struct gh_ring*)thread->ring;
}

static void* alarm_of(struct gh_ring* ring) { return (char*)ring + gh_page_bytes(); }

static struct perf_event_mmap_page* page_of(struct gh_ring* ring) {
  return (struct perf_event_mmap_page*)((char*)ring + 2 * gh_page_bytes());
}

static uint64_t memory_bytes(void) { return (3 + DATA_PAGES) * gh_page_bytes(); }

static int take_ring(struct gh_ring* ring) {
  return !__atomic_exchange_n(&ring->taken, 1, __ATOMIC_ACQUIRE);
}
static void release_ring(struct gh_ring* ring) {
  __atomic_store_n(&ring->taken, 0, __ATOMIC_RELEASE);
}

static uint64_t longest_alarm_period(void) {
  const uint64_t half = ring_bytes() / SAMPLE_BYTES / 2 * gh_header->period;
  return half < ALARM_NS ? half : ALARM_NS;
}

static struct perf_event_attr task_clock(uint64_t period) {
  struct perf_event_attr attributes;
  gh_clear(&attributes, sizeof attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.sample_period = period;
  return attributes;
}

static uint32_t slowing_wanted(void) {
  if (!gh_config.ring_slows_down) return 0;
  const uint64_t samples = __atomic_load_n(&samples_so_far, __ATOMIC_RELAXED);
  uint32_t slowing = 0;
  while (slowing < GH_RING_SLOWEST && samples >= (uint64_t)GH_RING_MANY_SAMPLES << slowing) {
    ++slowing;
  }
  return slowing;
}

void gh_ring_note_weight(uint32_t slowing) {
  __atomic_fetch_or(&gh_header->sample_weights, 1u << slowing, __ATOMIC_RELAXED);
}

/* The ring must be taken, and drained. On failure it stays as it is. */
static int start_samples(struct gh_ring* ring, uint32_t slowing) {
  struct perf_event_attr attributes = task_clock(gh_header->period << slowing);
  attributes.sample_type = PERF_SAMPLE_IP;
  attributes.watermark = 1;
  attributes.wakeup_watermark = (uint32_t)ring_bytes(); /* never polled */
  if (!gh_event_start(&attributes, page_of(ring), gh_page_bytes() + ring_bytes(), 0)) return 0;
  ring->slowing = slowing;
  gh_ring_note_weight(slowing);
  /* Positions begin anew; what the runtime is doing began before all of them. */
  if (gh_tls.inside) gh_tls.before = 0;
  return 1;
}

static int start_alarm(struct gh_ring* ring, uint32_t tid, uint64_t period) {
  struct perf_event_attr attributes = task_clock(period);
  attributes.wakeup_events = 1;
  if (!gh_event_start(&attributes, alarm_of(ring), gh_page_bytes(), tid)) return 0;
  ring->alarm_period = period;
  return 1;
}

int gh_ring_start(struct gprofhub_thread* thread, uint32_t tid) {
  const long memory =
      GH_CALL6(mmap, 0, memory_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (GH_FAILED(memory)) return 0;
  struct gh_ring* ring = (struct gh_ring*)memory;
  if (!start_samples(ring, slowing_wanted()) || !start_alarm(ring, tid, gh_header->period)) {
    GH_CALL2(munmap, ring, memory_bytes());
    return 0;
  }
  ring->on = 1;
  ring->counted = gh_counted_start();
  __atomic_store_n(&thread->ring, (uint64_t)ring, __ATOMIC_RELEASE); /* other threads read it */
  return 1;
}

uint64_t gh_ring_head(const struct gprofhub_thread* thread) {
  if (!thread || !thread->ring) return 0;
  return __atomic_load_n(&page_of(ring_of(thread))->data_head, __ATOMIC_ACQUIRE);
}

int gh_ring_is_full(const struct gprofhub_thread* thread) {
  return thread->ring &&
         gh_ring_head(thread) - page_of(ring_of(thread))->data_tail >= ring_bytes() - SAMPLE_BYTES;
}

/* Without system calls: only user mode is sampled. */
void gh_ring_await_sample(const struct gprofhub_thread* thread) {
  enum { MANY_TIMES_A_PERIOD = 1 << 24 };
  const uint64_t now = gh_ring_head(thread);
  for (int i = 0; i < MANY_TIMES_A_PERIOD && gh_ring_head(thread) == now; ++i) continue;
}

static uint64_t word_at(struct gh_ring* ring, uint64_t offset) {
  return gh_kernel_ring_word(page_of(ring), ring_bytes(), offset);
}

static void count_sample(struct gprofhub_thread* into, uint64_t pc, uint64_t weight) {
  if (gh_in_range(pc) && gh_count(into, GPROFHUB_SAMPLES, pc, 0, weight, 0) < 0) {
    gh_lose(GPROFHUB_LOST_SAMPLES, weight);
  }
}

void gh_ring_take(struct gprofhub_thread* thread, struct gprofhub_thread* into, uint64_t own_from) {
  struct gh_ring* ring = ring_of(thread);
  if (!ring || !take_ring(ring)) return;
  struct perf_event_mmap_page* page = page_of(ring);
  const uint64_t weight = UINT64_C(1) << ring->slowing;
  uint64_t samples = 0;
  uint64_t at = page->data_tail;
  while (at < __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE)) {
    const struct perf_event_header header = gh_kernel_ring_record(page, ring_bytes(), at);
    if (header.size == 0) break;
    const int wanted = !gh_sampling_off && !thread->stopped;
    if (header.type == PERF_RECORD_SAMPLE && wanted) {
      thread->signals += 1;
      thread->weight += weight;
      /* The owner reads its clock instead (note_clock). */
      if (thread != into) thread->cpu_ns_last += gh_header->period * weight;
      count_sample(into, at < own_from ? word_at(ring, at + 8) : (uint64_t)gh_stubs_begin, weight);
      ++samples;
    } else if (header.type == PERF_RECORD_LOST && wanted) {
      gh_lose(GPROFHUB_LOST_SAMPLES, word_at(ring, at + 16) * weight);
    }
    at += header.size;
    __atomic_store_n(&page->data_tail, at, __ATOMIC_RELEASE);
  }
  gh_counted_take(ring->counted, into, !gh_sampling_off && !thread->stopped);
  __atomic_fetch_add(&samples_so_far, samples, __ATOMIC_RELAXED);
  release_ring(ring);
}

static void slow_down(struct gprofhub_thread* thread, uint64_t own_from) {
  struct gh_ring* ring = ring_of(thread);
  const uint32_t wanted = slowing_wanted();
  if (ring->slowing >= wanted) return;
  gh_ring_take(thread, thread, own_from);
  /* If another thread is reading it, the next alarm is soon enough. */
  if (!take_ring(ring)) return;
  start_samples(ring, wanted);
  release_ring(ring);
}

static void defer_alarm(struct gprofhub_thread* thread) {
  struct gh_ring* ring = ring_of(thread);
  const uint64_t longest = longest_alarm_period();
  if (ring->alarm_period >= longest) return;
  const uint64_t period = 2 * ring->alarm_period;
  start_alarm(ring, (uint32_t)thread->owner, period < longest ? period : longest);
}

void gh_ring_switch(struct gprofhub_thread* thread, int on) {
  struct gh_ring* ring = ring_of(thread);
  if (!ring || on == (int)ring->on || !take_ring(ring)) return;
  gh_counted_switch(ring->counted, on);
  if (on) {
    if (!start_samples(ring, ring->slowing)) gh_lose(GPROFHUB_UNSAMPLED_THREADS, 1);
  } else {
    gh_event_stop(page_of(ring), gh_page_bytes() + ring_bytes());
    start_alarm(ring, (uint32_t)thread->owner, OFF_ALARM_NS);
  }
  ring->on = (uint32_t)on;
  release_ring(ring);
}

void gh_ring_alarm(struct gprofhub_thread* thread, uint64_t own_from) {
  const int on = !thread->stopped && !gh_sampling_off;
  gh_ring_take(thread, thread, own_from);
  gh_ring_switch(thread, on);
  if (!on) return;
  slow_down(thread, own_from);
  defer_alarm(thread);
}

void gh_ring_begin_anew(void) { samples_so_far = 0; }

void gh_ring_drop(struct gprofhub_thread* thread) {
  if (!thread->ring) return;
  gh_counted_drop(ring_of(thread)->counted);
  GH_CALL2(munmap, thread->ring, memory_bytes());
  thread->ring = 0;
}

void gh_ring_drop_inherited(const struct gprofhub_thread* thread) {
  if (!thread->ring) return;
  gh_counted_drop_inherited(ring_of(thread)->counted);
  GH_CALL2(munmap, thread->ring, gh_page_bytes());
}
