/* A timer on each thread's CPU clock, which includes time in the kernel. The kernel checks it at
 * its tick, and since Linux 5.9 delivers its signal only when the thread returns to the program
 * (POSIX_CPU_TIMERS_TASK_WORK): never within a system call, so none returns EINTR because of it.
 * If the tick came in a system call, the program counter is right after that. If it came in the
 * handling of a fault, the thread's accounting shows that: the thread has had faults since the
 * last signal, and almost all of its time since then was system time. (The accounting is based
 * on ticks, too, and scaled. So a little system time comes with ticks in the program.)
 *
 * The duration comes from the accounting. System time that earlier ticks in the kernel have not
 * claimed is added to the function where this tick finds the thread. So the sum over a thread's
 * functions is its system time, as in getrusage, minus the part since its last tick in the
 * kernel.
 *
 * The runtime's own system calls are excluded. */
#include "runtime/waiting/system_time.h"

#include <sys/resource.h>
#include <time.h>

#include "runtime/base/config.h"
#include "runtime/base/syscalls.h"
#include "runtime/processor/call_code.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/peek.h"
#include "runtime/recording/thread_records.h"
#include "runtime/sampling/ring.h"
#include "runtime/sampling/timers.h"
#include "runtime/waiting/callers.h"
#include "runtime/waiting/quantities.h"

enum { TAG = 0x67706900, FIRST_NS = 1000000, EVERY_NS = 4000000 };

/* The kernel's accounting of a thread; times in microseconds. */
struct usage {
  uint64_t system, user, faults;
};

/* The calling thread's. */
struct account {
  struct usage last;
  uint64_t claimed; /* part of its system time */
  uint32_t epoch;   /* earlier than the global epoch: void */
};
static __thread struct account account __attribute__((tls_model("initial-exec")));
static uint32_t epoch = 1;

static uint64_t microseconds(struct timeval time) {
  return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_usec;
}

static struct usage read_usage(void) {
  struct rusage told;
  gh_clear(&told, sizeof told);
  GH_CALL2(getrusage, RUSAGE_THREAD, &told);
  const struct usage usage = {microseconds(told.ru_stime), microseconds(told.ru_utime),
                              (uint64_t)told.ru_minflt + (uint64_t)told.ru_majflt};
  return usage;
}

/* Whether the last tick came in the handling of a fault. */
static int was_in_fault(const struct usage* last, const struct usage* now) {
  const uint64_t system = now->system - last->system;
  return now->faults != last->faults && system > 3 * (now->user - last->user);
}

void gh_system_time_start(struct gprofhub_thread* self) {
  if (!gh_config.takes_signal) return;
  account.last = read_usage();
  account.claimed = account.last.system;
  account.epoch = __atomic_load_n(&epoch, __ATOMIC_RELAXED);
  const int32_t timer = gh_timer_of_thread(TAG, (uint32_t)self->owner);
  self->system_timer = (uint64_t)(timer + 1);
  if (timer >= 0 && !gh_counting_off) gh_timer_set(timer, FIRST_NS, EVERY_NS);
}

int gh_system_time_signal(const siginfo_t* info) {
  return info->si_code == SI_TIMER && info->si_value.sival_int == TAG;
}

static int is_behind_system_call(uint64_t pc) {
  unsigned char code[GH_SYSTEM_CALL_BYTES];
  return gh_peek(pc - sizeof code, code, sizeof code) && gh_is_system_call(code);
}

void gh_system_time_take(struct gprofhub_thread* self, const ucontext_t* interrupted) {
  const struct usage usage = read_usage();
  const uint32_t now = __atomic_load_n(&epoch, __ATOMIC_RELAXED);
  const uint64_t pc = gh_pc_of(interrupted);
  const int in_call = is_behind_system_call(pc);
  const int in_kernel = in_call || was_in_fault(&account.last, &usage);
  const int counts = account.epoch == now && !gh_counting_off && !gh_sampling_off;
  account.last = usage;
  if (counts && !in_kernel) return; /* the next tick in the kernel claims it */
  const uint64_t unclaimed = usage.system - account.claimed;
  account.claimed = usage.system;
  account.epoch = now;
  if (!counts || gh_tls.inside) return;
  struct gh_place place;
  place.pc = pc;
  place.sp = gh_sp_of(interrupted);
  place.frame = gh_frame_of(interrupted);
  place.knows_frame = 1;
  place.link = gh_link_of(interrupted);
  place.is_next = !in_call;
  gh_add_microseconds(self, gprofhub_system_microseconds, gh_find_caller(place), unclaimed);
}

void gh_system_time_switch(int on) {
  __atomic_fetch_add(&epoch, 1, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < gh_thread_count(); ++i) {
    const struct gprofhub_thread* const thread = gh_thread_at(i);
    if (!thread || !thread->system_timer) continue;
    gh_timer_set((int32_t)thread->system_timer - 1, on ? FIRST_NS : 0, EVERY_NS);
  }
}

void gh_system_time_drop(struct gprofhub_thread* thread) {
  if (thread->system_timer) gh_timer_delete((int32_t)thread->system_timer - 1);
  thread->system_timer = 0;
}

void gh_system_time_after_fork(void) { __atomic_fetch_add(&epoch, 1, __ATOMIC_RELAXED); }
