/* A timer on each thread's CPU clock, which counts time in the kernel, too. It is looked at in the
 * kernel's tick, and since Linux 5.9 its signal is made only when the thread returns to the program
 * (POSIX_CPU_TIMERS_TASK_WORK): never within a system call, so none returns EINTR because of it. If
 * the tick came in a system call the program stands right behind that. If it came in the handling of
 * a fault, the kernel's account of the thread tells: more system than user time since last.
 *
 * How long is taken from that account. What the last ticks in the kernel have not claimed is added to
 * the function where this one finds the thread. So a thread's functions add up to its system time, as
 * getrusage has it, less what came since its last tick in the kernel.
 *
 * What the runtime itself asks of the kernel is left out. */
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

/* The calling thread's times in microseconds. */
struct account {
  uint64_t claimed; /* of its system time */
  uint64_t system, user;
  uint32_t epoch; /* another than `epoch`: they are of before something */
};
static __thread struct account account __attribute__((tls_model("initial-exec")));
static uint32_t epoch = 1;

static uint64_t microseconds(struct timeval time) {
  return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_usec;
}

static void read_times(uint64_t* system, uint64_t* user) {
  struct rusage usage;
  gh_clear(&usage, sizeof usage);
  GH_CALL2(getrusage, RUSAGE_THREAD, &usage);
  *system = microseconds(usage.ru_stime);
  *user = microseconds(usage.ru_utime);
}

void gh_system_time_start(struct gprofhub_thread* self) {
  if (!gh_config.takes_signal) return;
  read_times(&account.system, &account.user);
  account.claimed = account.system;
  account.epoch = __atomic_load_n(&epoch, __ATOMIC_RELAXED);
  const int32_t timer = gh_timer_of_thread(TAG, (uint32_t)self->owner);
  self->reserved = timer + 1;
  if (timer >= 0 && !gh_counting_off) gh_timer_set(timer, FIRST_NS, EVERY_NS);
}

int gh_system_time_signal(const siginfo_t* info) {
  return info->si_code == SI_TIMER && info->si_value.sival_int == TAG;
}

static int is_behind_system_call(uint64_t pc) {
  unsigned char code[2];
  return gh_peek(pc - sizeof code, code, sizeof code) && gh_is_system_call(code);
}

void gh_system_time_take(struct gprofhub_thread* self, const ucontext_t* interrupted) {
  uint64_t system, user;
  read_times(&system, &user);
  const uint32_t now = __atomic_load_n(&epoch, __ATOMIC_RELAXED);
  const uint64_t pc = gh_pc_of(interrupted);
  const int in_call = is_behind_system_call(pc);
  const int in_kernel = in_call || system - account.system > user - account.user;
  const int counts = account.epoch == now && !gh_counting_off && !gh_sampling_off;
  account.system = system;
  account.user = user;
  if (counts && !in_kernel) return; /* the next one claims it */
  const uint64_t unclaimed = system - account.claimed;
  account.claimed = system;
  account.epoch = now;
  if (!counts || gh_tls.inside) return;
  struct gh_place place;
  place.pc = pc;
  place.sp = gh_sp_of(interrupted);
  place.frame = gh_frame_of(interrupted);
  place.knows_frame = 1;
  place.is_next = !in_call;
  gh_add_microseconds(self, gprofhub_system_microseconds, gh_find_caller(place), unclaimed);
}

void gh_system_time_switch(int on) {
  __atomic_fetch_add(&epoch, 1, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < gh_thread_count(); ++i) {
    const struct gprofhub_thread* const thread = gh_thread_at(i);
    if (!thread || !thread->reserved) continue;
    gh_timer_set(thread->reserved - 1, on ? FIRST_NS : 0, EVERY_NS);
  }
}

void gh_system_time_drop(struct gprofhub_thread* thread) {
  if (thread->reserved) gh_timer_delete(thread->reserved - 1);
  thread->reserved = 0;
}

void gh_system_time_after_fork(void) { __atomic_fetch_add(&epoch, 1, __ATOMIC_RELAXED); }
