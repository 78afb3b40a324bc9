/* Three ways to be told that a thread has used another period of CPU time, the
 * best that the machine allows is taken:
 *
 * 1. perf_event's task clock (or its instructions and cycles): a high
 *    resolution timer that runs while the thread runs. User mode only: the
 *    signal then never lands in a system call, so no call of the program
 *    returns EINTR on our account.
 * 2. timer_create on the thread's CPU clock: checked at the kernel's tick only,
 *    so at most CONFIG_HZ signals a second arrive; the overrun count says how
 *    many periods one of them stands for.
 * 3. setitimer(ITIMER_PROF): one timer for the process, delivered to whichever
 *    thread runs at the tick; weighed by the CPU time since the last. */
#include "runtime/sampling/timers.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/time.h>

#include "runtime/base/config.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/recording/recording.h"

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

uint64_t gh_timer_weigh(const struct gprofhub_thread* thread, const siginfo_t* info) {
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

/* The lowest descriptor number that we take: out of the way of a program that
 * counts on getting low ones. 0: it has too few to share. */
static uint64_t descriptor_floor(void) {
  enum { FEW = 128, MANY = 2048, FLOOR_OF_MANY = 1000 };
  struct rlimit limit;
  if (GH_FAILED(GH_CALL4(prlimit64, 0, RLIMIT_NOFILE, 0, &limit))) return FLOOR_OF_MANY;
  if (limit.rlim_cur < FEW) return 0;
  return limit.rlim_cur < MANY ? limit.rlim_cur / 2 : FLOOR_OF_MANY;
}

static int start_perf(struct gprofhub_thread* thread, uint32_t tid) {
  const uint64_t floor = descriptor_floor();
  if (floor == 0) return 0;
  struct perf_event_attr attributes;
  gh_clear(&attributes, sizeof attributes);
  attributes.size = PERF_ATTR_SIZE_VER5;
  attributes.disabled = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.sample_period = period();
  attributes.wakeup_events = 1;
  if (thread->mechanism == GPROFHUB_PERF_HARDWARE) {
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.config =
        gh_config.dimension == GH_CYCLES ? PERF_COUNT_HW_CPU_CYCLES : PERF_COUNT_HW_INSTRUCTIONS;
  } else {
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  }
  long fd = GH_CALL5(perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (GH_FAILED(fd)) return 0;
  const long moved = GH_CALL3(fcntl, fd, F_DUPFD_CLOEXEC, floor);
  GH_CALL1(close, fd);
  if (GH_FAILED(moved)) return 0;
  thread->event_fd = (int32_t)moved;
  const struct { int32_t type, pid; } owner = {F_OWNER_TID, (int32_t)tid};
  if (GH_FAILED(GH_CALL3(fcntl, thread->event_fd, F_SETFL, O_ASYNC | O_NONBLOCK)) ||
      GH_FAILED(GH_CALL3(fcntl, thread->event_fd, F_SETSIG, GH_SAMPLE_SIGNAL)) ||
      GH_FAILED(GH_CALL3(fcntl, thread->event_fd, F_SETOWN_EX, &owner)) ||
      GH_FAILED(GH_CALL3(ioctl, thread->event_fd, PERF_EVENT_IOC_ENABLE, 0))) {
    GH_CALL1(close, thread->event_fd);
    thread->event_fd = -1;
    return 0;
  }
  GH_CALL3(ioctl, thread->event_fd, PERF_EVENT_IOC_ID, &thread->event_id);
  return 1;
}

static void arm_timer(const struct gprofhub_thread* thread, uint64_t every) {
  struct itimerspec when = {{0}, {0}};
  when.it_interval.tv_nsec = when.it_value.tv_nsec = (long)every;
  GH_CALL4(timer_settime, thread->timer, 0, &when, 0);
}

static int start_timer(struct gprofhub_thread* thread, uint32_t tid) {
  struct kernel_sigevent event;
  gh_clear(&event, sizeof event);
  event.signal = GH_SAMPLE_SIGNAL;
  event.notify = SIGEV_THREAD_ID;
  event.thread = (int32_t)tid;
  if (GH_FAILED(GH_CALL3(timer_create, CLOCK_THREAD_CPUTIME_ID, &event, &thread->timer))) {
    thread->timer = -1;
    return 0;
  }
  arm_timer(thread, period());
  return 1;
}

static int start_itimer(void) {
  struct itimerval every = {{0}, {0}};
  every.it_interval.tv_usec = every.it_value.tv_usec = (long)(period() / 1000);
  process_clock = gh_cpu_clock(CLOCK_PROCESS_CPUTIME_ID);
  return !GH_FAILED(GH_CALL3(setitimer, ITIMER_PROF, &every, 0));
}

int gh_timer_start(uint32_t how, struct gprofhub_thread* thread, uint32_t tid) {
  thread->mechanism = how;
  switch (how) {
    case GPROFHUB_PERF_TASK_CLOCK:
    case GPROFHUB_PERF_HARDWARE:
      return start_perf(thread, tid);
    case GPROFHUB_TIMER_CREATE:
      return start_timer(thread, tid);
    default:
      return start_itimer();
  }
}

/* The program may have closed it, and the number may be its own by now. */
static void close_event(const struct gprofhub_thread* thread) {
  uint64_t id = 0;
  if (thread->event_fd >= 0 &&
      !GH_FAILED(GH_CALL3(ioctl, thread->event_fd, PERF_EVENT_IOC_ID, &id)) &&
      id == thread->event_id) {
    GH_CALL1(close, thread->event_fd);
  }
}

void gh_timer_switch(const struct gprofhub_thread* thread, int on) {
  if (thread->event_fd >= 0) {
    GH_CALL3(ioctl, thread->event_fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
  }
  if (thread->timer >= 0) arm_timer(thread, on ? period() : 0);
}

void gh_timer_drop(struct gprofhub_thread* thread) {
  close_event(thread);
  if (thread->timer >= 0) GH_CALL1(timer_delete, thread->timer);
  thread->event_fd = -1;
  thread->timer = -1;
}

void gh_timer_drop_inherited(const struct gprofhub_thread* thread) { close_event(thread); }
