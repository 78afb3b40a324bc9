/* Blocks signals while the runtime changes its own state; they stay pending. */
#ifndef GPROFHUB_RUNTIME_BASE_SIGNALS_H_
#define GPROFHUB_RUNTIME_BASE_SIGNALS_H_

#include <signal.h>
#include <stdint.h>

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

#endif
