#include "runtime/process/threads.h"

#include "runtime/base/signals.h"
#include "runtime/base/syscalls.h"
#include "runtime/counters/counters.h"
#include "runtime/process/live.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/thread_records.h"
#include "runtime/sampling/sampler.h"

int gh_process_ready(void) {
  enum gh_readiness readiness = gh_recording_ready();
  if (readiness == GH_RECORDING_IS_PARENTS) {
    /* A child made without the fork handlers (_Fork, the bare system call). */
    gh_threads_after_fork();
    readiness = gh_recording_ready();
  }
  return readiness == GH_RECORDING_READY;
}

static const struct gh_sampler_hooks kHooks = {gh_thread_self, gh_live_carry_out};

struct gprofhub_thread* gh_thread_self(void) {
  if (!gh_process_ready()) return 0;
  if (gh_tls.thread) return gh_tls.thread;
  struct gh_signals signals = gh_block_signals();
  if (!gh_tls.thread) {
    gh_live_begin();
    int dropped;
    struct gprofhub_thread* record = gh_record_obtain((uint32_t)GH_CALL0(gettid), &dropped);
    if (record) {
      if (dropped) gh_sampler_drop(record);
      gh_counters_begin(record);
      if (record->owner) gh_sampler_start(record, &kHooks);
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
  struct gprofhub_chunk* current[2];
  gh_records_forget(&current[0], &current[1]);
  gh_recording_forget(current, 2);
}
