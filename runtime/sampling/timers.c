/* Four mechanisms that report when a thread has used another period of CPU time. The best
 * available one is used:
 *
 * 1. perf_event's task clock, a high resolution timer that runs while the thread runs, with a
 *    ring of samples (ring.c). User mode only: a signal never interrupts a system call, so no
 *    call of the program returns EINTR because of it.
 * 2. The same clock (or instructions and cycles) with a signal for each sample: for stacks, or
 *    if memory for rings cannot be locked.
 * 3. timer_create on the thread's CPU clock: checked at the kernel's tick only, so at most
 *    CONFIG_HZ signals a second arrive; the overrun count is the number of periods that one of
 *    them represents.
 * 4. setitimer(ITIMER_PROF): one timer for the process, delivered to the thread that runs at the
 *    tick; weighted by the CPU time since the last one. */
#include "runtime/sampling/timers.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/time.h>

#include "runtime/base/config.h"
#include "runtime/base/syscalls.h"
#include "runtime/processor/machine.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/recording.h"
#include "runtime/sampling/events.h"
#include "runtime/sampling/ring.h"

static uint64_t process_clock; /* ITIMER_PROF: CPU time already counted */

/* The kernel's own structure; libc's differs. */
struct kernel_sigevent {
  uint64_t value;
  int32_t signal;
  int32_t notify;
  int32_t thread;
  int32_t unused[11];
};

static uint64_t period(void) { return gh_header->period; }

/* A thread without a ring gets a signal for each sample, which costs twice as much: it is
 * sampled at the rings' lowest rate. */
static uint32_t slowing_of(const struct gprofhub_thread* thread) {
  const int lacks_ring =
      thread->mechanism == GPROFHUB_PERF_TASK_CLOCK && gh_header->mechanism == GPROFHUB_PERF_RING;
  return lacks_ring && gh_config.ring_slows_down ? GH_RING_SLOWEST : 0;
}

uint64_t gh_timer_weigh(const struct gprofhub_thread* thread, const siginfo_t* info) {
  if (thread->mechanism == GPROFHUB_PERF_TASK_CLOCK) return UINT64_C(1) << slowing_of(thread);
  if (thread->mechanism == GPROFHUB_TIMER_CREATE) {
    return 1 + (uint64_t)(info->si_overrun > 0 ? info->si_overrun : 0);
  }
  if (thread->mechanism != GPROFHUB_ITIMER_PROF) return 1;
  const uint64_t now = gh_cpu_clock(CLOCK_PROCESS_CPUTIME_ID);
  uint64_t before = __atomic_load_n(&process_clock, __ATOMIC_RELAXED);
  uint64_t periods;
  do {
    periods = now > before ? (now - before) / period() : 0;
    if (periods == 0) return 0;
  } while (!__atomic_compare_exchange_n(&process_clock, &before, before + periods * period(), 0,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return periods;
}

static int start_perf(struct gprofhub_thread* thread, uint32_t tid) {
  struct perf_event_attr attributes;
  gh_clear(&attributes, sizeof attributes);
  attributes.sample_period = period() << slowing_of(thread);
  attributes.wakeup_events = 1;
  if (thread->mechanism == GPROFHUB_PERF_HARDWARE) {
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config =
        gh_config.dimension == GH_CYCLES ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS;
  } else {
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  }
  thread->event = (uint64_t)gh_event_start(&attributes, 0, gh_page_bytes(), tid);
  if (!thread->event) return 0;
  if (slowing_of(thread)) gh_ring_note_weight(slowing_of(thread));
  return 1;
}

int32_t gh_timer_of_thread(uint32_t value, uint32_t tid) {
  struct kernel_sigevent event;
  gh_clear(&event, sizeof event);
  event.value = value;
  event.signal = GH_SAMPLE_SIGNAL;
  event.notify = SIGEV_THREAD_ID;
  event.thread = (int32_t)tid;
  int32_t timer;
  return GH_FAILED(GH_CALL3(timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &timer)) ? -1 : timer;
}

void gh_timer_set(int32_t timer, uint64_t first, uint64_t every) {
  struct itimerspec when = {{0}, {0}};
  when.it_value.tv_nsec = (long)first;
  when.it_interval.tv_nsec = (long)every;
  GH_CALL4(timer_settime, timer, 0, &when, 0);
}

void gh_timer_delete(int32_t timer) { GH_CALL1(timer_delete, timer); }

static int start_timer(struct gprofhub_thread* thread, uint32_t tid) {
  thread->timer = gh_timer_of_thread(0, tid);
  if (thread->timer < 0) return 0;
  gh_timer_set(thread->timer, period(), period());
  return 1;
}

enum { ASKS = 0x67706800, REQUEST = 0xff }; /* neither an address nor another timer's value */

int gh_timer_ask(uint32_t request, uint64_t milliseconds, int again) {
  struct kernel_sigevent event;
  gh_clear(&event, sizeof event);
  event.value = ASKS | request;
  event.signal = GH_SAMPLE_SIGNAL;
  event.notify = SIGEV_SIGNAL;
  int32_t timer;
  if (GH_FAILED(GH_CALL3(timer_create, CLOCK_MONOTONIC, &event, &timer))) return 0;
  struct itimerspec when = {{0}, {0}};
  when.it_value.tv_sec = (time_t)(milliseconds / 1000);
  when.it_value.tv_nsec = (long)(milliseconds % 1000 * 1000000 + 1); /* 0 would disarm it */
  if (again) when.it_interval = when.it_value;
  return !GH_FAILED(GH_CALL4(timer_settime, timer, 0, &when, 0));
}

uint32_t gh_timer_asks(const siginfo_t* info) {
  const uint32_t value = (uint32_t)info->si_value.sival_int;
  return info->si_code == SI_TIMER && (value & ~(uint32_t)REQUEST) == ASKS ? value & REQUEST : 0;
}

static int set_itimer(uint64_t nanoseconds) {
  struct itimerval every = {{0}, {0}};
  every.it_interval.tv_usec = every.it_value.tv_usec = (long)(nanoseconds / 1000);
  __atomic_store_n(&process_clock, gh_cpu_clock(CLOCK_PROCESS_CPUTIME_ID), __ATOMIC_RELAXED);
  return !GH_FAILED(GH_CALL3(setitimer, ITIMER_PROF, &every, 0));
}

static int start_itimer(void) { return set_itimer(period()); }

void gh_timer_switch_process(int on) { set_itimer(on ? period() : 0); }

int gh_timer_start(uint32_t how, struct gprofhub_thread* thread, uint32_t tid) {
  thread->mechanism = how;
  switch (how) {
    case GPROFHUB_PERF_RING:
      return gh_ring_start(thread, tid);
    case GPROFHUB_PERF_TASK_CLOCK:
    case GPROFHUB_PERF_HARDWARE:
      return start_perf(thread, tid);
    case GPROFHUB_TIMER_CREATE:
      return start_timer(thread, tid);
    default:
      return start_itimer();
  }
}

void gh_timer_switch(const struct gprofhub_thread* thread, int on) {
  if (thread->timer >= 0) gh_timer_set(thread->timer, on ? period() : 0, period());
}

void gh_timer_drop(struct gprofhub_thread* thread) {
  gh_ring_drop(thread);
  if (thread->event) GH_CALL2(munmap, thread->event, gh_page_bytes());
  if (thread->timer >= 0) gh_timer_delete(thread->timer);
  thread->event = 0;
  thread->timer = -1;
}
