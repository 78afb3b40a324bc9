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
 *    thread runs at the tick; weighed by the CPU time since the last.
 *
 * A sample adds its weight to the count of its program counter, so that
 * counts / rate is seconds under all three; `signals` says how many samples
 * there really were. */
#include "runtime/sampling/sampler.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#include "runtime/base/complain.h"
#include "runtime/base/config.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/thread_records.h"
#include "runtime/sampling/stacks.h"

volatile int gh_sampling_off;

enum { SIGNAL = SIGPROF };
static const uint64_t kSecond = 1000000000u;

static uint32_t mechanism; /* of this process, once its first thread has decided it */
static int handler_installed;
static int all_threads;
static struct gprofhub_thread* (*meet_thread)(void);
static uint64_t process_clock; /* ITIMER_PROF: CPU time already counted */

/* The kernel's own structures; libc's differ. */
struct kernel_sigaction {
  void (*handler)(int, siginfo_t*, void*);
  uint64_t flags;
  void (*restorer)(void);
  uint64_t mask;
};
struct kernel_sigevent {
  uint64_t value;
  int32_t signal;
  int32_t notify;
  int32_t thread;
  int32_t unused[11];
};
static struct kernel_sigaction previous; /* the program's, for signals not ours */

__attribute__((visibility("hidden"))) void gh_signal_return(void);

static uint64_t cpu_clock(clockid_t clock) {
  struct timespec now = {0};
  GH_CALL2(clock_gettime, clock, &now);
  return (uint64_t)now.tv_sec * kSecond + (uint64_t)now.tv_nsec;
}

static uint64_t period(void) { return gh_header->period; }

/* Periods of CPU time that this signal stands for. */
static uint64_t weigh(const struct gprofhub_thread* thread, const siginfo_t* info) {
  if (thread->mechanism == GPROFHUB_TIMER_CREATE) {
    return 1 + (uint64_t)(info->si_overrun > 0 ? info->si_overrun : 0);
  }
  if (thread->mechanism != GPROFHUB_ITIMER_PROF) return 1;
  const uint64_t now = cpu_clock(CLOCK_PROCESS_CPUTIME_ID);
  uint64_t before = __atomic_load_n(&process_clock, __ATOMIC_RELAXED);
  uint64_t periods;
  do {
    periods = now > before ? (now - before) / period() : 0;
    if (periods == 0) return 0;
  } while (!__atomic_compare_exchange_n(&process_clock, &before, before + periods * period(), 0,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return periods;
}

/* Ours are those of our own timers; others, such as kill's, belong to the program. */
static int is_ours(const siginfo_t* info) {
  return info->si_code == POLL_IN || info->si_code == POLL_HUP || info->si_code == SI_TIMER ||
         info->si_code == SI_KERNEL;
}

static void on_signal(int signal, siginfo_t* info, void* context) {
  if (!is_ours(info)) {
    const uint64_t handler = (uint64_t)previous.handler;
    if (handler != (uint64_t)SIG_DFL && handler != (uint64_t)SIG_IGN) {
      previous.handler(signal, info, context);
    }
    return;
  }
  if (gh_sampling_off || gh_header == 0) return;
  struct gprofhub_thread* thread = meet_thread();
  if (!thread || thread->stopped) return;
  const ucontext_t* interrupted = context;
  uint64_t pc = (uint64_t)interrupted->uc_mcontext.gregs[REG_RIP];
  /* The stubs' slow way may be anywhere in the runtime: it counts as theirs. */
  if (gh_tls.inside) pc = (uint64_t)gh_stubs_begin;
  const uint64_t weight = weigh(thread, info);
  if (weight == 0) return;
  thread->signals += 1;
  thread->weight += weight;
  thread->cpu_ns_last = cpu_clock(CLOCK_THREAD_CPUTIME_ID) - thread->cpu_ns_begin;
  if (!gh_in_range(pc)) return;
  if (gh_count(thread, GPROFHUB_SAMPLES, pc, 0, weight, 0) < 0) {
    gh_lose(GPROFHUB_LOST_SAMPLES, weight);
  }
  const int is_own = pc >= (uint64_t)gh_stubs_begin && pc < (uint64_t)gh_stubs_end;
  if (gh_config.stacks && !is_own) gh_stack_count(thread, interrupted, weight);
}

static void install_handler(void) {
  if (handler_installed) return;
  handler_installed = 1;
  struct kernel_sigaction action = {0};
  action.handler = on_signal;
  action.flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | 0x04000000u /* SA_RESTORER */;
  action.restorer = gh_signal_return;
  GH_CALL4(rt_sigaction, SIGNAL, &action, &previous, sizeof action.mask);
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
      GH_FAILED(GH_CALL3(fcntl, thread->event_fd, F_SETSIG, SIGNAL)) ||
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
  event.signal = SIGNAL;
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
  process_clock = cpu_clock(CLOCK_PROCESS_CPUTIME_ID);
  return !GH_FAILED(GH_CALL3(setitimer, ITIMER_PROF, &every, 0));
}

static int start_by(uint32_t how, struct gprofhub_thread* thread, uint32_t tid) {
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

/* For the process's first thread: tries the mechanisms in their order. */
static int choose(struct gprofhub_thread* thread, uint32_t tid) {
  const uint32_t forced = gh_config.forced_mechanism;
  if (forced) return start_by(forced, thread, tid);
  for (uint32_t how = GPROFHUB_PERF_TASK_CLOCK; how <= GPROFHUB_ITIMER_PROF; ++how) {
    if (start_by(how, thread, tid)) return 1;
  }
  return 0;
}

static void describe(const char* dimension, char abbreviation, uint32_t rate, uint64_t every) {
  struct gh_text text = gh_text_in(gh_header->dimension, sizeof gh_header->dimension);
  gh_put(&text, dimension);
  gh_header->abbreviation = abbreviation;
  gh_header->rate = rate;
  gh_header->period = every;
}

/* Decides how this process is sampled, on its first thread. */
static int start_process(struct gprofhub_thread* thread, uint32_t tid) {
  describe("seconds", 's', gh_config.rate ? gh_config.rate : 100,
           kSecond / (gh_config.rate ? gh_config.rate : 100));
  gh_header->rate_asked = gh_config.rate;
  if (gh_config.rate == 0) return 0;
  install_handler();
  if (gh_config.dimension != GH_SECONDS) {
    /* The bins count samples; one stands for so many events. The unit is a
     * million of them, as far as whole samples allow. */
    const uint64_t per_million = 1000000 / gh_config.event_period;
    describe(gh_config.dimension == GH_CYCLES ? "Mcycles" : "Minstructions",
             gh_config.dimension == GH_CYCLES ? 'c' : 'i', per_million ? (uint32_t)per_million : 1,
             gh_config.event_period);
    if (start_by(GPROFHUB_PERF_HARDWARE, thread, tid)) return 1;
    gh_complain(GH_RECORDING, "hardware events cannot be sampled here, time is sampled instead",
                "perf_event_open refuses them");
    describe("seconds", 's', gh_config.rate, kSecond / gh_config.rate);
  }
  return choose(thread, tid);
}

void gh_sampler_start(struct gprofhub_thread* thread, struct gprofhub_thread* (*meet)(void)) {
  meet_thread = meet;
  const uint32_t tid = (uint32_t)thread->owner;
  const int first = gh_header->period == 0;
  thread->stopped = 0;
  thread->cpu_ns_begin = cpu_clock(CLOCK_THREAD_CPUTIME_ID) - thread->cpu_ns_last;
  int started;
  if (first) {
    started = start_process(thread, tid);
    mechanism = started ? thread->mechanism : (uint32_t)GPROFHUB_SAMPLING_OFF;
    gh_header->mechanism = mechanism;
  } else {
    if (mechanism == GPROFHUB_SAMPLING_OFF) return;
    thread->mechanism = mechanism;
    thread->stopped = gh_config.main_thread_only && !all_threads;
    if (mechanism == GPROFHUB_ITIMER_PROF) return;
    started = start_by(mechanism, thread, tid) || start_by(GPROFHUB_TIMER_CREATE, thread, tid);
    if (thread->stopped) gh_sampler_switch(thread, 0);
  }
  if (!started) {
    thread->mechanism = GPROFHUB_SAMPLING_OFF;
    if (gh_config.rate) gh_lose(GPROFHUB_UNSAMPLED_THREADS, 1);
  }
}

void gh_sampler_switch(struct gprofhub_thread* thread, int on) {
  thread->stopped = !on;
  if (thread->event_fd >= 0) {
    GH_CALL3(ioctl, thread->event_fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
  }
  if (thread->timer >= 0) arm_timer(thread, on ? period() : 0);
  const uint64_t now = cpu_clock(CLOCK_THREAD_CPUTIME_ID);
  if (on) thread->cpu_ns_begin = now - thread->cpu_ns_last;
}

void gh_sampler_drop(struct gprofhub_thread* thread) {
  if (thread->event_fd >= 0) {
    /* The program may have closed it, and the number may be its own by now. */
    uint64_t id = 0;
    if (!GH_FAILED(GH_CALL3(ioctl, thread->event_fd, PERF_EVENT_IOC_ID, &id)) &&
        id == thread->event_id) {
      GH_CALL1(close, thread->event_fd);
    }
  }
  if (thread->timer >= 0) GH_CALL1(timer_delete, thread->timer);
  thread->event_fd = -1;
  thread->timer = -1;
}

void gh_sampler_all_threads(void) { all_threads = 1; }

void gh_sampler_after_fork(void) {
  /* Timers are not inherited; descriptors are, and still name the parent's. */
  for (uint32_t i = 0; i < gh_thread_count(); ++i) {
    struct gprofhub_thread* thread = gh_thread_at(i);
    if (!thread || thread->event_fd < 0) continue;
    uint64_t id = 0;
    if (!GH_FAILED(GH_CALL3(ioctl, thread->event_fd, PERF_EVENT_IOC_ID, &id)) &&
        id == thread->event_id) {
      GH_CALL1(close, thread->event_fd);
    }
  }
  mechanism = GPROFHUB_SAMPLING_OFF;
}
