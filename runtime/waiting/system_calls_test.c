/* Finds callers of system calls from the kernel's report about a blocked thread: its return
 * address and stack pointer. A signal that a system call sends to its own thread interrupts it
 * there. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "runtime/processor/processor.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/recording.h"
#include "runtime/waiting/callers.h"
#include "runtime/waiting/unwind_rules.h"

/* A counted function calls the stubs; these replace them. */
__asm__(
    ".text\n"
    ".globl gh_stubs_begin, gh_stubs_end\n"
    "gh_stubs_begin:\n"
    "stub: ret\n"
    "gh_stubs_end:\n");
#if defined(__x86_64__)
#define COUNT __asm__ volatile("call stub" ::: "memory")
#else
#define COUNT __asm__ volatile("bl stub" ::: "x30", "memory")
#endif
#define KEPT __attribute__((noinline))

static uint64_t found; /* from the kernel's report on a thread in a system call */
static uint64_t told;  /* from all registers */
static int failures;

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)info;
  struct gh_place place;
  memset(&place, 0, sizeof place);
  place.pc = gh_pc_of(context);
  place.sp = gh_sp_of(context);
  found = gh_find_caller(place);
  place.frame = gh_frame_of(context);
  place.knows_frame = 1;
  place.link = gh_link_of(context);
  told = gh_find_caller(place);
}

static int broken_pipe;

/* libc prepares for cancellation. */
KEPT static void long_call(void) { (void)!write(broken_pipe, "", 1); }

/* libc does only this. */
KEPT static void short_call(void) { kill(getpid(), SIGUSR1); }

KEPT static void counted_long_call(void) {
  COUNT;
  (void)!write(broken_pipe, "", 1);
}

KEPT static void counted_short_call(void) {
  COUNT;
  kill(getpid(), SIGUSR1);
}

KEPT static void counted_calls_others(int is_short) {
  COUNT;
  is_short ? short_call() : long_call();
}

/* A frame that can only be unwound by the frame pointer. */
KEPT static void short_call_of_frame(size_t bytes) {
  volatile char* const room = alloca(bytes);
  room[0] = 0;
  kill(getpid(), SIGUSR1);
  room[bytes - 1] = 0;
}

KEPT static void counted_calls_frame(size_t bytes) {
  COUNT;
  short_call_of_frame(bytes);
}

static int is_in(uint64_t address, uint64_t function) {
  struct gh_unwind_rule rule;
  return gh_find_unwind_rule(address - 1, &rule) && rule.begin == function;
}

static void check(const char* what, uint64_t function) {
  if (!is_in(found, function)) {
    fprintf(stderr, "%s: the caller is %#lx by a blocked thread\n", what, (unsigned long)found);
    ++failures;
  }
  if (!is_in(told, function)) {
    fprintf(stderr, "%s: the caller is %#lx by its registers\n", what, (unsigned long)told);
    ++failures;
  }
  found = told = 0;
}

int main(void) {
  setenv("GPROFHUB_PROFILE_DIR", getenv("TEST_TMPDIR"), 1);
  if (gh_recording_ready() != GH_RECORDING_READY) return 1;
  gh_modules_refresh(0);
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGUSR1, &action, 0);
  sigaction(SIGPIPE, &action, 0);
  int ends[2];
  if (pipe(ends) != 0) return 1;
  close(ends[0]);
  broken_pipe = ends[1];

  counted_long_call();
  check("a long system call", (uint64_t)counted_long_call);
  counted_short_call();
  check("a short one", (uint64_t)counted_short_call);
  counted_calls_others(0);
  check("a long one in a library", (uint64_t)counted_calls_others);
  counted_calls_others(1);
  check("a short one in a library", (uint64_t)counted_calls_others);
  counted_calls_frame(1000);
  check("a short one in a frame of unknown size", (uint64_t)counted_calls_frame);
  if (!failures) puts("ok");
  return failures != 0;
}
