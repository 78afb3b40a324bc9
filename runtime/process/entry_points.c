/* Functions that a program, its start-up files and libc call by name: glibc's names for a
 * profiling runtime (so that linking this before libc, or preloading it, replaces glibc's) and
 * the Blue Gene/Q's. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>

#include "runtime/base/complain.h"
#include "runtime/base/config.h"
#include "runtime/base/text.h"
#include "runtime/counters/counters.h"
#include "runtime/counters/sites.h"
#include "runtime/gmon/gmon_files.h"
#include "runtime/gprofhub.h"
#include "runtime/library_calls/library_calls.h"
#include "runtime/process/live.h"
#include "runtime/process/own_time.h"
#include "runtime/process/start.h"
#include "runtime/process/threads.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/sampling/ring.h"
#include "runtime/sampling/sampler.h"
#include "runtime/waiting/watcher.h"

#define EXPORT __attribute__((visibility("default")))

static int started;
static int disabled;

/* Link the functions that take libc's place (pthread_hook.c, signal_masks.c, close_hook.c), for
 * shared objects, too. */
__attribute__((used)) static int (*const needs_hook)(pthread_t*, const pthread_attr_t*,
                                                     void* (*)(void*), void*) = pthread_create;
__attribute__((used)) static int (*const needs_masks)(int, const sigset_t*,
                                                      sigset_t*) = sigprocmask;
extern const char gh_close_hook __attribute__((visibility("hidden")));
__attribute__((used)) static const char* const needs_close_hook = &gh_close_hook;

/* The child of a process that records begins its recording at once: later it may no longer have the
 * right to. Counters in the text must be set up before the first count, too. */
static void after_fork(void) {
  const int parent_records = gh_header && !disabled;
  gh_threads_after_fork();
  gh_gmon_after_fork();
  if (parent_records || gh_counters_in_use()) gh_thread_self();
}

/* Strings in such objects (bazel/counting_compiler.bzl), separated by zeros. Linkers define
 * symbols for a section's bounds. */
#define BOUND extern const char __attribute__((weak, visibility("default")))
BOUND __start_gprofhub_fell_back[];
BOUND __stop_gprofhub_fell_back[];

static const char* next_name(const char* at) {
  while (at < __stop_gprofhub_fell_back && *at == 0) ++at;
  return at;
}

/* Prints one line on stderr that names the files whose calls mcount counts although the toolchain
 * inserts counters into the text, if there are any. Under Bazel only the test's own process prints
 * it, because the test may check the output of other processes. */
static void say_what_fell_back(void) {
  enum { NAMED = 3 };
  if (__start_gprofhub_fell_back == 0 || gh_config.in_anothers_test) return;
  static char line[1024];
  struct gh_text names = gh_text_in(line, sizeof line);
  uint64_t count = 0;
  for (const char* at = next_name(__start_gprofhub_fell_back); at < __stop_gprofhub_fell_back;
       at = next_name(at + gh_length(at))) {
    if (count++ >= NAMED) continue;
    if (count > 1) gh_put(&names, ", ");
    gh_put(&names, at);
  }
  if (count == 0) return;
  if (count > NAMED) {
    gh_put(&names, " and ");
    gh_put_number(&names, count - NAMED);
    gh_put(&names, " more");
  }
  gh_complain(GH_FALLEN_BACK, "not counted in the text, but by mcount, which costs more", line);
}

void gh_start(void) {
  if (__atomic_exchange_n(&started, 1, __ATOMIC_RELAXED)) return;
  pthread_atfork(0, 0, after_fork);
  gh_own_time_begin();
  struct gprofhub_thread* const self = gh_thread_self();
  gh_own_time_since(self);
  if (self) {
    gh_modules_refresh(0);
    gh_sampler_take_signal();
    if (gh_config.library_calls) gh_library_calls_begin();
    say_what_fell_back();
  }
  gh_own_time_end();
}

static void finish(void) {
  if (disabled || !gh_header) return;
  gh_own_time_begin();
  struct gprofhub_thread* const self = gh_thread_self();
  gh_own_time_since(self);
  gh_live_end();
  gh_watcher_take();
  gh_sampler_take(self);
  gh_sampling_off += 1;
  gh_sites_bind();
  if (gh_process_ready()) gh_gmon_write();
  gh_recording_finish();
  gh_sampling_off -= 1;
  gh_own_time_end();
}

/* The runtime starts with the first of these: the constructor of a module with counters
 * (counters_entry.c), gcrt1.o's call of __monstartup (linked with -pg) or this constructor (not
 * linked with -pg, or preloaded). Earlier counted calls have started the recording themselves. */
__attribute__((constructor(101))) static void on_load(void) { gh_start(); }

/* After _mcleanup, which gcrt1.o registered to run at exit; later destructors'
 * counts are still in the recording. */
__attribute__((destructor(101))) static void on_unload(void) { finish(); }

/* gcrt1.o calls it at the start with the program's own text; shared objects are recorded
 * nevertheless. */
EXPORT void __monstartup(unsigned long low, unsigned long high) {
  (void)low;
  (void)high;
  gh_start();
}

EXPORT void monstartup(unsigned long low, unsigned long high) {
  gh_start();
  gh_sampler_take(gh_thread_self());
  gh_tables_limit(low, high);
  gh_counters_limit();
}

EXPORT void _mcleanup(void) { finish(); }

EXPORT void gprofhub_write(void) { finish(); }

EXPORT void moncontrol(int on) {
  if (!disabled) gh_live_switch(gh_header ? gh_thread_self() : 0, on != 0);
}

EXPORT void __moncontrol(int on) { moncontrol(on); }

EXPORT void mondisable(void) {
  moncontrol(0);
  disabled = 1;
  gh_recording_discard();
}

EXPORT void gprofhub_reset(void) { gh_live_reset(gh_thread_self()); }

EXPORT int gprofhub_dump(const char* label) {
  return gh_live_dump(gh_thread_self(), label) ? 0 : -1;
}

EXPORT void gmon_start_all_thread_timers(void) { gh_sampler_all_threads(); }

EXPORT void gmon_thread_timer(int start_it) {
  struct gprofhub_thread* thread = gh_thread_self();
  if (thread) gh_sampler_switch(thread, start_it != 0);
}
