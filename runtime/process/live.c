/* A request is one word of the recording's header, which is shared memory. Whoever asks stores
 * the word and sends the process a SIGPROF. Whichever thread takes the signal carries it out:
 * all that has to be done can be done by one thread for all others, at once. */
#include "runtime/process/live.h"

#include <fcntl.h>

#include "runtime/base/complain.h"
#include "runtime/base/config.h"
#include "runtime/base/signals.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/counters/counters.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/file.h"
#include "runtime/recording/recording.h"
#include "runtime/sampling/ring.h"
#include "runtime/sampling/sampler.h"
#include "runtime/sampling/timers.h"

enum { REQUEST = 0xff /* of the word */ };

static int begun;

void gh_live_begin(void) {
  if (begun) return;
  begun = 1;
  if (gh_config.start == GH_START_NOW) return;
  if (gh_config.start == GH_START_AFTER && !gh_config.takes_signal) {
    gh_complain(GH_RECORDING, "GPROFHUB_START=after has no effect", "GPROFHUB_SAMPLER is off");
    return;
  }
  gh_tables_switch(0);
  gh_counters_switch(0);
  gh_sampling_off = 1;
  if (gh_config.start != GH_START_AFTER) return;
  /* Whatever is asked for from outside before that takes its place. */
  gh_header->asked = 1 << 8 | GPROFHUB_REQUEST_START;
  if (!gh_timer_ask_after(gh_config.start_after_ms)) {
    gh_complain(GH_RECORDING, "GPROFHUB_START", "there is no timer; it starts now");
    gh_header->answered = gh_header->asked;
    gh_tables_switch(1);
    gh_counters_switch(1);
    gh_sampling_off = 0;
  }
}

void gh_live_after_fork(void) {
  if (gh_config.start == GH_START_AFTER && gh_counting_off) begun = 0;
}

void gh_live_switch(struct gprofhub_thread* self, int on) {
  if (on == !gh_counting_off) return;
  gh_tables_switch(on);
  gh_counters_switch(on);
  if (!gh_header) {
    gh_sampling_off = !on;
    return;
  }
  /* What was sampled until now counts if it was on. */
  gh_sampler_take(self);
  gh_sampling_off = !on;
  gh_header->off = (uint32_t)!on;
  gh_sampler_switch_all(on);
}

void gh_live_reset(struct gprofhub_thread* self) {
  if (!gh_header) return;
  gh_sampler_take(self);
  gh_sampler_reset();
  gh_tables_reset();
  gh_counters_reset();
  for (int i = 0; i < GPROFHUB_LOSSES; ++i) {
    __atomic_store_n(&gh_header->losses[i], 0, __ATOMIC_RELAXED);
  }
  gh_header->start_seconds = gh_wall_seconds();
  __atomic_fetch_add(&gh_header->resets, 1, __ATOMIC_RELAXED);
}

void gh_live_carry_out(struct gprofhub_thread* self) {
  const struct gh_signals signals = gh_block_signals();
  const uint32_t asked = __atomic_load_n(&gh_header->asked, __ATOMIC_ACQUIRE);
  switch (asked & REQUEST) {
    case GPROFHUB_REQUEST_STOP:
      gh_live_switch(self, 0);
      break;
    case GPROFHUB_REQUEST_START:
      gh_live_switch(self, 1);
      break;
    case GPROFHUB_REQUEST_RESET:
      gh_live_reset(self);
      break;
    case GPROFHUB_REQUEST_TAKE:
      gh_sampler_take(self);
      break;
    default:
      break;
  }
  __atomic_store_n(&gh_header->answered, asked, __ATOMIC_RELEASE);
  gh_restore_signals(signals);
}

/* All bytes of one file to the other's end; 0 or -errno. */
static long copy_all(long from, long to) {
  char bytes[4096];
  for (;;) {
    const long got = GH_CALL3(read, from, bytes, sizeof bytes);
    if (got <= 0) return got;
    for (long done = 0; done < got;) {
      const long put = GH_CALL3(write, to, bytes + done, got - done);
      if (put < 0) return put;
      done += put;
    }
  }
}

int gh_live_dump(struct gprofhub_thread* self, const char* label) {
  static char path[GH_PATH_BYTES + 512];
  static const char kEnding[] = ".gprofhub";
  const char* const recording = gh_recording_path();
  if (!recording) {
    gh_complain(GH_DUMP, "no dump", "there is no recording in a file");
    return 0;
  }
  gh_sampler_take(self);
  size_t length = 0;
  while (label[length] && label[length] != '/') ++length;
  const struct gh_signals signals = gh_block_signals();
  struct gh_text text = gh_text_in(path, sizeof path);
  gh_put_bytes(&text, recording, gh_length(recording) - (sizeof kEnding - 1));
  gh_put(&text, ".");
  gh_put_bytes(&text, label, length);
  gh_put(&text, ".gprofhub-dump");
  const long from = GH_OPEN(recording, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
  const long to = GH_FAILED(from)
                      ? from
                      : GH_OPEN(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  long result = to;
  if (!GH_FAILED(to)) {
    result = copy_all(from, to);
    GH_CALL1(close, to);
    if (result < 0) GH_UNLINK(path);
  }
  if (!GH_FAILED(from)) GH_CALL1(close, from);
  gh_restore_signals(signals);
  if (result < 0) gh_complain(GH_DUMP, path, gh_reason(result));
  return result >= 0;
}
