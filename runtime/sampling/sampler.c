/* A sample adds its weight to the count of its program counter, so that counts / rate is seconds
 * with all mechanisms; `signals` is the actual number of samples. */
#include "runtime/sampling/sampler.h"

#include <signal.h>
#include <ucontext.h>

#include "runtime/base/complain.h"
#include "runtime/base/config.h"
#include "runtime/base/signals.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/thread_records.h"
#include "runtime/sampling/events.h"
#include "runtime/sampling/ring.h"
#include "runtime/sampling/stacks.h"
#include "runtime/sampling/timers.h"

static const uint64_t kSecond = 1000000000u;

/* Below this rate a sample may wait long in the ring, and a signal for each is cheap. */
enum { LEAST_RING_RATE = 500 };

static uint32_t mechanism; /* of this process, chosen by its first thread */
static int handler_installed;
/* Held while iterating over all threads' rings, or freeing one, with signals blocked. */
static int rings_in_use;
static int all_threads;
static const struct gh_sampler_hooks* hooks;

static struct gh_kernel_sigaction previous; /* the program's handler, for other signals */

/* Signals of our own timers are ours; others, such as kill's, belong to the program. */
static int is_ours(const siginfo_t* info) {
  return info->si_code == POLL_IN || info->si_code == POLL_HUP || info->si_code == SI_TIMER ||
         info->si_code == SI_KERNEL;
}

static int use_rings(void) { return !__atomic_exchange_n(&rings_in_use, 1, __ATOMIC_ACQUIRE); }
static void release_rings(void) { __atomic_store_n(&rings_in_use, 0, __ATOMIC_RELEASE); }

static void note_clock(struct gprofhub_thread* thread) {
  thread->cpu_ns_last = gh_cpu_clock(CLOCK_THREAD_CPUTIME_ID) - thread->cpu_ns_begin;
}

/* Drains the ring of another thread. If it was full, the kernel has lost samples, and reports their
 * number with the thread's next sample. There may be none, so one is counted here. */
static void take_from(struct gprofhub_thread* other, struct gprofhub_thread* into) {
  if (gh_ring_is_full(other)) gh_lose(GPROFHUB_LOST_SAMPLES, 1);
  gh_ring_take(other, into, GH_RING_ALL_IS_PROGRAM);
}

/* Drains the ring of one other thread, in turns. */
static void take_of_another(struct gprofhub_thread* self) {
  static uint32_t turn;
  struct gh_signals signals = gh_block_signals();
  if (use_rings()) {
    struct gprofhub_thread* other = gh_thread_at(turn++ % gh_thread_count());
    if (other && other != self) take_from(other, self);
    release_rings();
  }
  gh_restore_signals(signals);
}

/* Where this thread's samples begin to be the runtime's, at the ring's position `now`. */
static uint64_t own_from(uint64_t now) {
  return gh_tls.inside && gh_tls.before < now ? gh_tls.before : now;
}

/* In the stubs' code; it continues with gh_on_signal. */
__attribute__((visibility("hidden"))) void gh_signal_entry(int, siginfo_t*, void*);
__attribute__((visibility("hidden"))) void gh_on_signal(int, siginfo_t*, void*);

/* The program blocks it: it is sent again, and waits. */
static void hold_back(siginfo_t* info, ucontext_t* interrupted) {
  uint64_t mask;
  gh_copy(&mask, &interrupted->uc_sigmask, sizeof mask);
  mask |= GH_SIGPROF_BIT;
  gh_copy(&interrupted->uc_sigmask, &mask, sizeof mask);
  gh_tls.blocked = GH_HELD_BACK;
  const long process = GH_CALL0(getpid);
  if (info->si_code == SI_TKILL) {
    GH_CALL4(rt_tgsigqueueinfo, process, GH_CALL0(gettid), GH_SAMPLE_SIGNAL, info);
  } else {
    GH_CALL3(rt_sigqueueinfo, process, GH_SAMPLE_SIGNAL, info);
  }
}

void gh_on_signal(int signal, siginfo_t* info, void* context) {
  const uint32_t request = gh_timer_asks(info);
  const int asked = !is_ours(info) && gh_header && gh_header->asked != gh_header->answered;
  if (asked || (request && gh_header)) {
    hooks->carry_out(hooks->meet(), request);
    return;
  }
  if (!is_ours(info)) {
    if (gh_tls.blocked) {
      hold_back(info, context);
      return;
    }
    const uint64_t handler = (uint64_t)previous.handler;
    if (handler != (uint64_t)SIG_DFL && handler != (uint64_t)SIG_IGN) {
      previous.handler(signal, info, context);
    }
    return;
  }
  if (gh_header == 0 || hooks->take_other(info, context)) return;
  struct gprofhub_thread* thread = hooks->meet();
  if (!thread) return;
  if (thread->ring) {
    /* Samples from here on are of this handler. */
    const uint64_t now = gh_ring_head(thread);
    gh_ring_alarm(thread, own_from(now));
    note_clock(thread);
    take_of_another(thread);
    return;
  }
  if (gh_sampling_off || thread->stopped) return;
  const ucontext_t* interrupted = context;
  uint64_t pc = gh_pc_of(interrupted);
  /* The stubs' slow path may be anywhere in the runtime: it counts as theirs. */
  if (gh_tls.inside) pc = (uint64_t)gh_stubs_begin;
  const uint64_t weight = gh_timer_weigh(thread, info);
  if (weight == 0) return;
  thread->signals += 1;
  thread->weight += weight;
  note_clock(thread);
  if (!gh_in_range(pc)) return;
  if (gh_count(thread, GPROFHUB_SAMPLES, pc, 0, weight, 0) < 0) {
    gh_lose(GPROFHUB_LOST_SAMPLES, weight);
  }
  const int is_own = pc >= (uint64_t)gh_stubs_begin && pc < (uint64_t)gh_stubs_end;
  if (gh_config.stacks && !is_own) gh_stack_count(thread, interrupted, weight);
}

static void install_handler(void) {
  gh_header->listens = 1;
  if (handler_installed) return;
  handler_installed = 1;
  struct gh_kernel_sigaction action = {0};
  action.handler = gh_signal_entry;
  /* On the thread's own stack: an alternate one may be too small for the kernel's frame. */
  action.flags = SA_SIGINFO | SA_RESTART;
  gh_add_signal_return(&action.flags, &action.restorer);
  GH_CALL4(rt_sigaction, GH_SAMPLE_SIGNAL, &action, &previous, sizeof action.mask);
}

int gh_sampler_has_signal(void) {
  struct gh_kernel_sigaction action = {0};
  return handler_installed &&
         !GH_FAILED(GH_CALL4(rt_sigaction, GH_SAMPLE_SIGNAL, 0, &action, sizeof action.mask)) &&
         action.handler == gh_signal_entry;
}

void gh_sampler_take_signal(void) {
  uint64_t mask = 0;
  GH_CALL4(rt_sigprocmask, SIG_BLOCK, 0, &mask, sizeof mask);
  if (!(mask & GH_SIGPROF_BIT) || !gh_sampler_has_signal()) return;
  gh_tls.blocked = 1;
  mask = GH_SIGPROF_BIT;
  GH_CALL4(rt_sigprocmask, SIG_UNBLOCK, &mask, 0, sizeof mask);
}

static void describe(const char* dimension, char abbreviation, uint32_t rate, uint64_t every) {
  struct gh_text text = gh_text_in(gh_header->dimension, sizeof gh_header->dimension);
  gh_put(&text, dimension);
  gh_header->abbreviation = abbreviation;
  gh_header->rate = rate;
  gh_header->period = every;
}

static void describe_seconds(uint32_t rate) {
  describe("seconds", 's', rate, kSecond / rate);
  gh_header->rate_asked = rate;
}

static int start_with(uint32_t how, struct gprofhub_thread* thread, uint32_t tid) {
  describe_seconds(how == GPROFHUB_PERF_RING         ? gh_config.ring_rate
                   : how == GPROFHUB_PERF_TASK_CLOCK ? gh_config.rate
                                                     : gh_config.timer_rate);
  return gh_timer_start(how, thread, tid);
}

/* For the process's first thread: tries the mechanisms in order. */
static int choose(struct gprofhub_thread* thread, uint32_t tid) {
  const uint32_t forced = gh_config.forced_mechanism;
  if (forced) return start_with(forced, thread, tid);
  /* Each sample's stack is unwound in its signal. */
  if (!gh_config.stacks && gh_config.ring_rate >= LEAST_RING_RATE &&
      start_with(GPROFHUB_PERF_RING, thread, tid)) {
    return 1;
  }
  for (uint32_t how = GPROFHUB_PERF_TASK_CLOCK; how <= GPROFHUB_ITIMER_PROF; ++how) {
    if (start_with(how, thread, tid)) return 1;
  }
  return 0;
}

/* Selects the mechanism of this process, on its first thread. */
static int start_process(struct gprofhub_thread* thread, uint32_t tid) {
  if (gh_config.takes_signal) install_handler();
  if (gh_config.rate == 0) {
    describe("seconds", 's', 100, kSecond / 100);
    gh_header->rate_asked = 0;
    return 0;
  }
  if (gh_config.dimension != GH_SECONDS) {
    /* The histograms count samples, each of many events. The unit is a million events, as far as
     * whole samples permit. */
    gh_header->rate_asked = gh_config.rate;
    const uint64_t per_million = 1000000 / gh_config.event_period;
    describe(gh_config.dimension == GH_CYCLES ? "Mcycles" : "Minstructions",
             gh_config.dimension == GH_CYCLES ? 'c' : 'i', per_million ? (uint32_t)per_million : 1,
             gh_config.event_period);
    if (gh_timer_start(GPROFHUB_PERF_HARDWARE, thread, tid)) return 1;
    gh_complain(GH_RECORDING, "cannot sample hardware events, sampling time instead",
                "perf_event_open failed");
  }
  const int started = choose(thread, tid);
  if (gh_config.events[0] && (!started || thread->mechanism != GPROFHUB_PERF_RING)) {
    gh_complain(GH_EVENTS, "GPROFHUB_EVENTS has no effect",
                "time is not sampled with perf_event, or each sample raises a signal "
                "(GPROFHUB_STACKS, GPROFHUB_SAMPLER, GPROFHUB_SAMPLE_RATE)");
  }
  return started;
}

void gh_sampler_start(struct gprofhub_thread* thread, const struct gh_sampler_hooks* of_process) {
  hooks = of_process;
  const uint32_t tid = (uint32_t)thread->owner;
  const int first = gh_header->period == 0;
  thread->stopped = 0;
  thread->cpu_ns_begin = gh_cpu_clock(CLOCK_THREAD_CPUTIME_ID) - thread->cpu_ns_last;
  int started;
  if (first) {
    started = start_process(thread, tid);
    mechanism = started ? thread->mechanism : (uint32_t)GPROFHUB_SAMPLING_OFF;
    gh_header->mechanism = mechanism;
    /* A forked child takes over the parent's state. */
    gh_header->off = (uint32_t)(gh_counting_off || gh_counting_apart);
  } else {
    if (mechanism == GPROFHUB_SAMPLING_OFF) return;
    thread->mechanism = mechanism;
    thread->stopped = gh_config.main_thread_only && !all_threads;
    if (mechanism == GPROFHUB_ITIMER_PROF) return;
    started = gh_timer_start(mechanism, thread, tid) ||
              (mechanism == GPROFHUB_PERF_RING &&
               gh_timer_start(GPROFHUB_PERF_TASK_CLOCK, thread, tid)) ||
              gh_timer_start(GPROFHUB_TIMER_CREATE, thread, tid);
    if (thread->stopped) gh_sampler_switch(thread, 0);
  }
  if (started && gh_header->off) {
    gh_ring_switch(thread, 0);
    gh_timer_switch(thread, 0);
  }
  if (started && first && gh_header->off && mechanism == GPROFHUB_ITIMER_PROF) {
    gh_timer_switch_process(0);
  }
  if (!started) {
    thread->mechanism = GPROFHUB_SAMPLING_OFF;
    if (gh_config.rate) gh_lose(GPROFHUB_UNSAMPLED_THREADS, 1);
  }
}

void gh_sampler_switch(struct gprofhub_thread* thread, int on) {
  struct gh_signals signals = gh_block_signals();
  gh_ring_take(thread, thread, GH_RING_ALL_IS_PROGRAM);
  thread->stopped = !on;
  gh_ring_switch(thread, on && !gh_sampling_off);
  gh_timer_switch(thread, on);
  gh_restore_signals(signals);
  if (on) thread->cpu_ns_begin = gh_cpu_clock(CLOCK_THREAD_CPUTIME_ID) - thread->cpu_ns_last;
}

void gh_sampler_switch_all(int on) {
  if (mechanism == GPROFHUB_SAMPLING_OFF) return;
  if (mechanism == GPROFHUB_ITIMER_PROF) gh_timer_switch_process(on);
  struct gh_signals signals = gh_block_signals();
  while (!use_rings()) GH_CALL0(sched_yield);
  for (uint32_t i = 0; i < gh_thread_count(); ++i) {
    struct gprofhub_thread* thread = gh_thread_at(i);
    if (!thread) continue;
    gh_timer_switch(thread, on && !thread->stopped);
    /* CPU time without sampling does not count. */
    const uint64_t now = gh_cpu_clock(GH_CLOCK_OF_THREAD((uint32_t)thread->owner));
    if (on && now) thread->cpu_ns_begin = now - thread->cpu_ns_last;
  }
  release_rings();
  struct gprofhub_thread* const self = gh_tls.thread;
  if (self) gh_ring_switch(self, on && !self->stopped);
  gh_restore_signals(signals);
}

void gh_sampler_reset(void) {
  for (uint32_t i = 0; i < gh_thread_count(); ++i) {
    struct gprofhub_thread* thread = gh_thread_at(i);
    if (!thread) continue;
    thread->signals = thread->weight = 0;
    thread->cpu_ns_begin += thread->cpu_ns_last;
    thread->cpu_ns_last = 0;
  }
}

void gh_sampler_drop(struct gprofhub_thread* thread) {
  take_from(thread, thread);
  while (!use_rings()) GH_CALL0(sched_yield);
  gh_timer_drop(thread);
  release_rings();
}

/* Drains the calling thread's ring, whose head was at `now`, and counts what was lost. */
static void take_whole(struct gprofhub_thread* self, uint64_t now) {
  const int was_full = gh_ring_is_full(self);
  gh_ring_take(self, self, own_from(now));
  if (was_full) {
    gh_ring_await_sample(self);
    gh_ring_take(self, self, 0);
  }
  if (self->ring) note_clock(self);
}

void gh_sampler_take(struct gprofhub_thread* self) {
  if (!self) return;
  struct gh_signals signals = gh_block_signals();
  /* This thread's samples from here on are of this function, or of the one that calls it. */
  const uint64_t now = gh_ring_head(self);
  if (use_rings()) {
    for (uint32_t i = 0; i < gh_thread_count(); ++i) {
      struct gprofhub_thread* thread = gh_thread_at(i);
      if (thread && thread != self) take_from(thread, self);
    }
    release_rings();
    take_whole(self, now);
  }
  gh_restore_signals(signals);
}

void gh_sampler_end_thread(void) {
  struct gprofhub_thread* const self = gh_tls.thread;
  if (!self || !gh_ring_is_full(self)) return;
  struct gh_signals signals = gh_block_signals();
  take_whole(self, gh_ring_head(self));
  gh_restore_signals(signals);
}

void gh_sampler_take_own(struct gprofhub_thread* self, uint64_t before) {
  if (self && gh_ring_head(self) != before) gh_ring_take(self, self, before);
}

void gh_sampler_all_threads(void) { all_threads = 1; }

void gh_sampler_after_fork(void) {
  for (uint32_t i = 0; i < gh_thread_count(); ++i) {
    const struct gprofhub_thread* thread = gh_thread_at(i);
    if (thread) gh_ring_drop_inherited(thread);
  }
  mechanism = GPROFHUB_SAMPLING_OFF;
  gh_ring_begin_anew();
  rings_in_use = 0; /* their holder is not in this process */
}
