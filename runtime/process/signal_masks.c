/* SIGPROF is the runtime's. A program that blocks all signals, as servers do that take them by
 * sigwait, must be sampled nevertheless, and must not receive the runtime's signals. So the
 * functions by which it blocks signals leave SIGPROF out, and remember for the thread that it is
 * blocked (gh_tls.blocked), which they report. Those that wait for signals leave it out, too, and
 * so does sigaction, for the signals that are blocked while a handler runs.
 *
 * A sanitizer has all these functions, in its own places of the link: so the linker's --wrap leads
 * the program to ours (archive.bzl), which call the sanitizer's where those do more.
 *
 * A SIGPROF that somebody else sends meanwhile is held back: the runtime's handler sends it again
 * and lets the kernel block it from then on (sampler.c). A program that handles SIGPROF itself gets
 * exactly what it asks for. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <time.h>

#include "runtime/base/signals.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/process/interposed.h"
#include "runtime/recording/thread_records.h"
#include "runtime/sampling/sampler.h"

/* The two that libc uses itself, and never lets a program block. */
static const uint64_t kOfLibc = UINT64_C(3) << 31;

static uint64_t bits_of(const sigset_t* set) {
  uint64_t bits;
  gh_copy(&bits, set, sizeof bits);
  return bits;
}

/* 0 or the error. */
static int change(int how, const sigset_t* set, sigset_t* old) {
  const uint32_t before = gh_tls.blocked;
  uint64_t mask = 0;
  if (set) {
    mask = bits_of(set) & ~kOfLibc;
    const uint32_t named = (mask & GH_SIGPROF_BIT) != 0;
    if (how == SIG_UNBLOCK) {
      if (named) gh_tls.blocked = 0;
    } else if (gh_sampler_has_signal()) {
      if (how == SIG_SETMASK || !before) gh_tls.blocked = named;
      mask &= ~GH_SIGPROF_BIT;
    } else {
      gh_tls.blocked = 0;
      if (how == SIG_BLOCK && before) mask |= GH_SIGPROF_BIT;
    }
  }
  uint64_t was = 0;
  const long result = GH_CALL4(rt_sigprocmask, how, set ? &mask : 0, &was, sizeof mask);
  if (GH_FAILED(result)) {
    gh_tls.blocked = before;
    return (int)-result;
  }
  if (before) was |= GH_SIGPROF_BIT;
  if (old) gh_copy(old, &was, sizeof was);
  return 0;
}

EXPORT int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) {
  return change(how, set, old);
}

WRAPPED(pthread_sigmask);

EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) {
  return set_errno(-change(how, set, old));
}
WRAPPED(sigprocmask);

static void add_sigprof(sigset_t* set) {
  const uint64_t bits = bits_of(set) | GH_SIGPROF_BIT;
  gh_copy(set, &bits, sizeof bits);
}

/* The signals, as in a mask, whose handlers block SIGPROF for the program, but not for the kernel.
 */
static uint64_t handlers_block;

/* The program handles SIGPROF itself now. */
static void let_handlers_block(void) {
  const uint64_t signals = __atomic_exchange_n(&handlers_block, 0, __ATOMIC_RELAXED);
  for (int signal = 1; signal <= 64; ++signal) {
    if (!(signals >> (signal - 1) & 1)) continue;
    struct gh_kernel_sigaction action = {0};
    if (GH_FAILED(GH_CALL4(rt_sigaction, signal, 0, &action, sizeof action.mask))) continue;
    action.mask |= GH_SIGPROF_BIT;
    GH_CALL4(rt_sigaction, signal, &action, 0, sizeof action.mask);
  }
}

typedef int (*act)(int, const struct sigaction*, struct sigaction*);
OF_SANITIZER(sigaction)
#ifdef __GLIBC__
extern int __sigaction(int, const struct sigaction*, struct sigaction*);
static act next_sigaction = __sigaction;
#else
static act next_sigaction;
#endif

/* Not at the first call, which may be in a signal handler. */
__attribute__((constructor(101))) static void find_sigaction(void) {
  act next = sanitizers_sigaction();
  if (next == 0 && &dlsym != 0) *(void**)&next = dlsym(RTLD_NEXT, "sigaction");
  if (next) next_sigaction = next;
}

EXPORT int sigaction(int signal, const struct sigaction* action, struct sigaction* old) {
  if (next_sigaction == 0) find_sigaction();
  const uint64_t bit = signal >= 1 && signal <= 64 ? UINT64_C(1) << (signal - 1) : 0;
  const int blocked = (__atomic_load_n(&handlers_block, __ATOMIC_RELAXED) & bit) != 0;
  int blocks = 0;
  struct sigaction own;
  if (action && bit) {
    gh_copy(&own, action, sizeof own);
    uint64_t mask = bits_of(&own.sa_mask);
    blocks = signal != SIGPROF && (mask & GH_SIGPROF_BIT) && gh_sampler_has_signal();
    if (blocks) mask &= ~GH_SIGPROF_BIT;
    gh_copy(&own.sa_mask, &mask, sizeof mask);
  }
  const int result = next_sigaction(signal, action && bit ? &own : action, old);
  if (result != 0) return result;
  if (old && blocked) add_sigprof(&old->sa_mask);
  if (action && blocks) __atomic_fetch_or(&handlers_block, bit, __ATOMIC_RELAXED);
  if (action && !blocks) __atomic_fetch_and(&handlers_block, ~bit, __ATOMIC_RELAXED);
  if (action && signal == SIGPROF && !gh_sampler_has_signal()) let_handlers_block();
  return 0;
}
WRAPPED(sigaction);

/* What the program may receive of `set`: SIGPROF only if it is the program's. */
static uint64_t awaited(const sigset_t* set) {
  const int is_ours = gh_tls.blocked != GH_HELD_BACK && gh_sampler_has_signal();
  return bits_of(set) & ~(is_ours ? GH_SIGPROF_BIT : 0);
}

/* A signal's number, or -errno. The thread can be cancelled here, as in libc's functions. */
static int await(const sigset_t* set, siginfo_t* info, const struct timespec* timeout) {
  const uint64_t bits = awaited(set);
  int type;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
  const long result = GH_CALL4(rt_sigtimedwait, &bits, info, timeout, sizeof bits);
  pthread_setcanceltype(type, 0);
  if (result > 0 && info && info->si_code == SI_TKILL) info->si_code = SI_USER;
  return (int)result;
}

/* A sanitizer delivers signals in its own functions only. */
OF_SANITIZER(sigwait)
OF_SANITIZER(sigwaitinfo)
OF_SANITIZER(sigtimedwait)

static const sigset_t* awaited_set(sigset_t* own, const sigset_t* set) {
  const uint64_t bits = awaited(set);
  gh_copy(own, set, sizeof *own);
  gh_copy(own, &bits, sizeof bits);
  return own;
}

EXPORT int sigwait(const sigset_t* set, int* signal) {
  sigset_t own;
  if (sanitizers_sigwait()) return sanitizers_sigwait()(awaited_set(&own, set), signal);
  int result;
  do {
    result = await(set, 0, 0);
  } while (result == -EINTR);
  if (result < 0) return -result;
  *signal = result;
  return 0;
}
WRAPPED(sigwait);

EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  sigset_t own;
  if (sanitizers_sigwaitinfo()) return sanitizers_sigwaitinfo()(awaited_set(&own, set), info);
  return set_errno(await(set, info, 0));
}
WRAPPED(sigwaitinfo);

EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const struct timespec* timeout) {
  sigset_t own;
  if (sanitizers_sigtimedwait()) {
    return sanitizers_sigtimedwait()(awaited_set(&own, set), info, timeout);
  }
  return set_errno(await(set, info, timeout));
}
WRAPPED(sigtimedwait);

EXPORT int signalfd(int fd, const sigset_t* set, int flags) {
  const uint64_t bits = awaited(set);
  return set_errno(GH_CALL4(signalfd4, fd, &bits, sizeof bits, flags));
}
WRAPPED(signalfd);
