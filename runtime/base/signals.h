/* Blocks signals while the runtime changes its own state; they stay pending. */
#ifndef GPROFHUB_RUNTIME_BASE_SIGNALS_H_
#define GPROFHUB_RUNTIME_BASE_SIGNALS_H_

#include <signal.h>
#include <stdint.h>
#include <time.h>

#include "runtime/base/syscalls.h"

/* A thread's signal mask, in the kernel's format. */
struct gh_signals {
  uint64_t mask;
};

/* The kernel's own structure; libc's differs. */
struct gh_kernel_sigaction {
  void (*handler)(int, siginfo_t*, void*);
  uint64_t flags;
  void (*restorer)(void);
  uint64_t mask;
};

#define GH_SIGPROF_BIT (UINT64_C(1) << (SIGPROF - 1)) /* of a mask */

/* Blocks all signals for the calling thread; returns its previous mask. */
static inline struct gh_signals gh_block_signals(void) {
  struct gh_signals before = {0};
  const uint64_t all = ~(uint64_t)0;
  GH_CALL4(rt_sigprocmask, SIG_BLOCK, &all, &before.mask, sizeof all);
  return before;
}

static inline void gh_restore_signals(struct gh_signals before) {
  GH_CALL4(rt_sigprocmask, SIG_SETMASK, &before.mask, 0, sizeof before.mask);
}

/* Writing to a pipe without a reader, beyond the file size limit, or to the terminal from the
 * background sends the thread a signal, which may end the program. It is discarded: the runtime's
 * output must not be the end of a program that writes nothing itself. Between these two all signals
 * are blocked. */
struct gh_quiet_writing {
  struct gh_signals signals;
  uint64_t pending; /* of the program */
};

static inline struct gh_quiet_writing gh_begin_writing(void) {
  struct gh_quiet_writing writing = {gh_block_signals(), 0};
  GH_CALL2(rt_sigpending, &writing.pending, sizeof writing.pending);
  return writing;
}

static inline void gh_end_writing(struct gh_quiet_writing writing) {
  const uint64_t sent =
      UINT64_C(1) << (SIGPIPE - 1) | UINT64_C(1) << (SIGXFSZ - 1) | UINT64_C(1) << (SIGTTOU - 1);
  const uint64_t discarded = sent & ~writing.pending;
  const struct timespec none = {0, 0};
  while (discarded &&
         !GH_FAILED(GH_CALL4(rt_sigtimedwait, &discarded, 0, &none, sizeof discarded))) {
  }
  gh_restore_signals(writing.signals);
}

#endif
