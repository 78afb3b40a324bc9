/* A request is one word of the recording's header, which is shared memory. The client stores the
 * word and sends the process a SIGPROF. The thread that takes the signal carries the request out
 * for all threads at once. A timer of the process makes requests in the same way, with the
 * request in the signal itself. */
#include "runtime/process/live.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stddef.h>

#include "runtime/base/complain.h"
#include "runtime/base/config.h"
#include "runtime/base/signals.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/counters/counters.h"
#include "runtime/memory/in_use.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/file.h"
#include "runtime/recording/marks.h"
#include "runtime/recording/program_symbols.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/thread_records.h"
#include "runtime/sampling/ring.h"
#include "runtime/sampling/sampler.h"
#include "runtime/sampling/timers.h"
#include "runtime/waiting/system_time.h"
#include "runtime/waiting/watcher.h"

enum { REQUEST = 0xff /* of the word */ };

static int begun;
static int has_window_timer; /* of this process */
static int waits_for_timer;  /* GPROFHUB_START=after=, and no other request yet */
static int lock;             /* serialises changes; taken with signals blocked */

volatile uint64_t gh_awaited_low, gh_awaited_bytes;

static void begin_off(void) {
  gh_tables_switch(0);
  gh_counters_switch(0);
  gh_sampling_off = 1;
}

static void begin_after_delay(void) {
  if (!gh_config.takes_signal) {
    gh_complain(GH_RECORDING, "GPROFHUB_START=after has no effect", "GPROFHUB_SAMPLER is off");
    return;
  }
  begin_off();
  waits_for_timer = 1;
  if (gh_timer_ask(GPROFHUB_REQUEST_START, gh_config.start_after_ms, 0)) return;
  gh_complain(GH_RECORDING, "GPROFHUB_START", "no timer available; starting now");
  gh_tables_switch(1);
  gh_counters_switch(1);
  gh_sampling_off = 0;
}

/* The stubs count as always, because they do not know a function yet at its first call. But
 * these counts go to a separate memory that is never read. */
static void begin_with_call(void) {
  struct gh_function function = {0, 0};
  enum gh_found found = GH_NOT_FOUND;
  if (!gh_counters_in_use()) {
    found = gh_find_function(gh_config.program, gh_config.start_function, &function);
  }
  if (found != GH_FOUND) {
    begin_off();
    gh_complain(
        GH_RECORDING, "nothing is recorded until it is started with `gprofhub live`",
        gh_counters_in_use()
            ? "GPROFHUB_START=call= needs a program built with -pg, without counters in the text"
        : found == GH_SEVERAL ? "GPROFHUB_START=call=: several functions of the program have that "
                                "name; use the symbol name"
                              : "GPROFHUB_START=call=: the program has no function of that name");
    return;
  }
  gh_sampling_off = 1;
  gh_tables_count_apart(1);
  gh_awaited_low = function.low;
  gh_awaited_bytes = function.bytes;
}

static void begin_windows(void) {
  if (has_window_timer || !gh_config.window_ms) return;
  has_window_timer = 1;
  if (!gh_config.takes_signal) {
    gh_complain(GH_RECORDING, "GPROFHUB_WINDOW has no effect", "GPROFHUB_SAMPLER is off");
  } else if (!gh_timer_ask(GPROFHUB_REQUEST_MARK, gh_config.window_ms, 1)) {
    gh_complain(GH_RECORDING, "GPROFHUB_WINDOW has no effect", "no timer available");
  }
}

void gh_live_begin(void) {
  begin_windows();
  if (begun) return;
  begun = 1;
  if (gh_config.start == GH_START_PAUSED) begin_off();
  if (gh_config.start == GH_START_AFTER) begin_after_delay();
  if (gh_config.start == GH_START_CALL) begin_with_call();
}

void gh_live_end(void) {
  if (gh_counting_apart) gh_tables_reset();
}

void gh_live_after_fork(void) {
  has_window_timer = 0;
  lock = 0; /* its holder is not in this process */
  if (waits_for_timer && gh_counting_off) begun = 0;
}

static struct gh_signals take_lock(void) {
  const struct gh_signals signals = gh_block_signals();
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) GH_CALL0(sched_yield);
  return signals;
}

static void release_lock(struct gh_signals signals) {
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  gh_restore_signals(signals);
}

/* Adds pending samples and counts. */
static void take_all(struct gprofhub_thread* self) {
  gh_watcher_take();
  gh_sampler_take(self);
}

/* The lock must be held. */
static void switch_all(struct gprofhub_thread* self, int on) {
  const int waited = gh_counting_apart;
  gh_awaited_bytes = 0;
  if (!waited && on == !gh_counting_off) return;
  if (!on) gh_watcher_take();
  gh_tables_switch(on);
  if (waited) gh_tables_count_apart(0);
  gh_counters_switch(on);
  if (!gh_header) {
    gh_sampling_off = !on;
    return;
  }
  if (waited) gh_header->start_seconds = gh_wall_ns() / 1000000000u;
  /* Samples so far count if sampling was on. */
  gh_sampler_take(self);
  gh_sampling_off = !on;
  gh_header->off = (uint32_t)!on;
  gh_sampler_switch_all(on);
  if (!gh_config.waiting) return;
  gh_system_time_switch(on);
  gh_watcher_switch(on);
}

void gh_live_switch(struct gprofhub_thread* self, int on) {
  const struct gh_signals signals = take_lock();
  switch_all(self, on);
  release_lock(signals);
}

void gh_live_call_came(struct gprofhub_thread* self) {
  const struct gh_signals signals = take_lock();
  /* Another thread may have been faster. */
  if (gh_counting_apart) switch_all(self, 1);
  release_lock(signals);
}

void gh_live_reset(struct gprofhub_thread* self) {
  if (!gh_header) return;
  const struct gh_signals signals = take_lock();
  gh_marks_reset();
  take_all(self);
  gh_sampler_reset();
  if (gh_config.waiting) gh_system_time_switch(!gh_counting_off);
  gh_tables_reset();
  gh_counters_reset();
  gh_in_use_reset();
  for (int i = 0; i < GPROFHUB_LOSSES; ++i) {
    __atomic_store_n(&gh_header->losses[i], 0, __ATOMIC_RELAXED);
  }
  gh_header->start_seconds = gh_wall_ns() / 1000000000u;
  __atomic_fetch_add(&gh_header->resets, 1, __ATOMIC_RELAXED);
  release_lock(signals);
}

/* Separates the counts so far from later ones. */
static void mark(struct gprofhub_thread* self) {
  const struct gh_signals signals = take_lock();
  take_all(self);
  const uint32_t place = gh_mark_begin();
  gh_tables_mark(place);
  gh_records_mark(place);
  gh_counters_mark(place);
  gh_mark_end(place);
  release_lock(signals);
}

static void do_request(struct gprofhub_thread* self, uint32_t request) {
  switch (request) {
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
      take_all(self);
      break;
    case GPROFHUB_REQUEST_MARK:
      mark(self);
      break;
    default:
      break;
  }
}

void gh_live_carry_out(struct gprofhub_thread* self, uint32_t request) {
  if (request == GPROFHUB_REQUEST_START && !waits_for_timer) return;
  if (request) {
    waits_for_timer &= request != GPROFHUB_REQUEST_START;
    do_request(self, request);
    return;
  }
  const uint32_t asked = __atomic_load_n(&gh_header->asked, __ATOMIC_ACQUIRE);
  const uint32_t verb = asked & REQUEST;
  if (verb == GPROFHUB_REQUEST_START || verb == GPROFHUB_REQUEST_STOP) waits_for_timer = 0;
  do_request(self, verb);
  __atomic_store_n(&gh_header->answered, asked, __ATOMIC_RELEASE);
  /* The client waits for this word of the shared mapping. */
  GH_CALL6(futex, &gh_header->answered, FUTEX_WAKE, INT32_MAX, 0, 0, 0);
}

/* A copy under way. */
struct copy {
  long from;
  long to;
  long result; /* 0 or -errno */
};

/* Copies [offset, offset + bytes) to the same place. */
static void copy_part(void* context, uint64_t offset, uint64_t bytes) {
  struct copy* copy = context;
  char piece[4096];
  for (uint64_t done = 0; done < bytes && copy->result >= 0;) {
    const uint64_t rest = bytes - done < sizeof piece ? bytes - done : sizeof piece;
    long got = GH_CALL4(pread64, copy->from, piece, rest, offset + done);
    if (got > 0) got = GH_CALL4(pwrite64, copy->to, piece, got, offset + done);
    copy->result = got == 0 ? -EIO : got < 0 ? got : 0;
    done += got > 0 ? (uint64_t)got : 0;
  }
}

/* Copies this process's recording. A copy of the shared file names no other process. */
static long copy_recording(long from, long to) {
  struct copy copy = {from, to, 0};
  gh_recording_parts(copy_part, &copy);
  const uint64_t at = gh_recording_offset();
  if (copy.result < 0 || !at) return copy.result;
  const uint64_t none = 0;
  long put = GH_CALL4(pwrite64, to, &at, sizeof at, offsetof(struct gprofhub_shared, newest));
  if (put > 0) {
    put =
        GH_CALL4(pwrite64, to, &none, sizeof none, at + offsetof(struct gprofhub_recording, older));
  }
  return put < 0 ? put : 0;
}

/* <program>.<pid>.<label>.gprofhub-dump next to the recording, whose name in its own file may have
 * a number in addition. */
static void put_dump_path(struct gh_text* text, const char* recording, const char* label) {
  static const char kEnding[] = ".gprofhub";
  size_t length = 0;
  while (label[length] && label[length] != '/') ++length;
  if (gh_recording_offset()) {
    gh_put(text, gh_config.shared_directory);
    gh_put(text, "/");
    gh_put(text, gh_base_name(gh_config.program));
    gh_put(text, ".");
    gh_put_number(text, gh_header->pid);
  } else {
    gh_put_bytes(text, recording, gh_length(recording) - (sizeof kEnding - 1));
  }
  gh_put(text, ".");
  gh_put_bytes(text, label, length);
  gh_put(text, ".gprofhub-dump");
}

int gh_live_dump(struct gprofhub_thread* self, const char* label) {
  static char path[GH_PATH_BYTES + 512];
  const char* const recording = gh_recording_path();
  if (!recording) {
    gh_complain(GH_DUMP, "no dump", "the recording is not in a file");
    return 0;
  }
  take_all(self);
  const struct gh_quiet_writing writing = gh_begin_writing();
  struct gh_text text = gh_text_in(path, sizeof path);
  put_dump_path(&text, recording, label);
  const long from = GH_OPEN(recording, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
  const long to = GH_FAILED(from)
                      ? from
                      : GH_OPEN(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  long result = to;
  if (!GH_FAILED(to)) {
    result = copy_recording(from, to);
    GH_CALL1(close, to);
    if (result < 0) GH_UNLINK(path);
  }
  if (!GH_FAILED(from)) GH_CALL1(close, from);
  gh_end_writing(writing);
  if (result < 0) gh_complain(GH_DUMP, path, gh_reason(result));
  return result >= 0;
}
