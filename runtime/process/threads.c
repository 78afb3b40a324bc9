#include "runtime/process/threads.h"

#include "runtime/base/config.h"
#include "runtime/base/signals.h"
#include "runtime/base/syscalls.h"
#include "runtime/counters/counters.h"
#include "runtime/memory/in_use.h"
#include "runtime/process/live.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/thread_records.h"
#include "runtime/sampling/sampler.h"
#include "runtime/waiting/system_time.h"
#include "runtime/waiting/watcher.h"

int gh_process_ready(void) {
  enum gh_readiness readiness = gh_recording_ready();
  if (readiness == GH_RECORDING_IS_PARENTS) {
    /* A child created without the fork handlers (_Fork, the bare system call). */
    gh_threads_after_fork();
    readiness = gh_recording_ready();
  }
  return readiness == GH_RECORDING_READY;
}

static int take_system_time(const siginfo_t* info, const ucontext_t* interrupted) {
  if (!gh_system_time_signal(info)) return 0;
  struct gprofhub_thread* const self = gh_thread_self();
  if (self) gh_system_time_take(self, interrupted);
  return 1;
}

static const struct gh_sampler_hooks kHooks = {gh_thread_self, gh_live_carry_out, take_system_time};

/* Waiting and system time of the calling thread. The first thread of a process starts the
 * watcher. If that is impossible, the kernel may be too old for system time, too. */
static void start_waiting(struct gprofhub_thread* self) {
  static long process; /* that has requested a watcher */
  static int has_watcher;
  const long pid = GH_CALL0(getpid);
  if (__atomic_exchange_n(&process, pid, __ATOMIC_RELAXED) != pid) {
    has_watcher = gh_watcher_start();
    gh_watcher_switch(!gh_counting_off);
  }
  if (has_watcher) gh_system_time_start(self);
}

struct gprofhub_thread* gh_thread_self(void) {
  if (!gh_process_ready()) return 0;
  if (gh_tls.thread) return gh_tls.thread;
  struct gh_signals signals = gh_block_signals();
  if (!gh_tls.thread) {
    gh_live_begin();
    int dropped;
    struct gprofhub_thread* record = gh_record_obtain((uint32_t)GH_CALL0(gettid), &dropped);
    if (record) {
      if (dropped) {
        gh_sampler_drop(record);
        gh_system_time_drop(record);
      }
      gh_counters_begin(record);
      if (record->owner) gh_sampler_start(record, &kHooks);
      if (record->owner && gh_config.waiting) start_waiting(record);
    }
  }
  gh_restore_signals(signals);
  return gh_tls.thread;
}

void gh_threads_after_fork(void) {
  gh_counters_after_fork();
  gh_sampler_after_fork();
  gh_modules_after_fork();
  gh_live_after_fork();
  gh_watcher_after_fork();
  gh_system_time_after_fork();
  struct gprofhub_chunk* current[4];
  gh_records_forget(&current[0], &current[1]);
  current[2] = gh_in_use_after_fork();
  current[3] = gh_first_calls_forget();
  gh_recording_forget(current, 4);
}
