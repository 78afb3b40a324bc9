/* SIGPROF is the runtime's. A program that blocks all signals, as servers do that take them by
 * sigwait, must be sampled nevertheless, and must not receive the runtime's signals. So the
 * functions by which it blocks signals leave SIGPROF out, and remember for the thread that it is
 * blocked (gh_tls.blocked), which they report. Those that wait for signals leave it out, too.
 *
 * A SIGPROF that somebody else sends meanwhile is held back: the runtime's handler sends it again
 * and lets the kernel block it from then on (sampler.c). A program that handles SIGPROF itself gets
 * exactly what it asks for. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <time.h>

#include "runtime/base/signals.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/recording/thread_records.h"
#include "runtime/sampling/sampler.h"

#define EXPORT __attribute__((visibility("default"), weak))

/* The two that libc uses itself, and never lets a program block. */
static const uint64_t kOfLibc = UINT64_C(3) << 31;

static uint64_t bits_of(const sigset_t* set) {
  uint64_t bits;
  gh_copy(&bits, set, sizeof bits);
  return bits;
}

static int set_errno(long result) {
  if (!GH_FAILED(result)) return (int)result;
  errno = (int)-result;
  return -1;
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

EXPORT int sigprocmask(int how, const sigset_t* set, sigset_t* old) {
  return set_errno(-change(how, set, old));
}

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

EXPORT int sigwait(const sigset_t* set, int* signal) {
  int result;
  do {
    result = await(set, 0, 0);
  } while (result == -EINTR);
  if (result < 0) return -result;
  *signal = result;
  return 0;
}

EXPORT int sigwaitinfo(const sigset_t* set, siginfo_t* info) {
  return set_errno(await(set, info, 0));
}

EXPORT int sigtimedwait(const sigset_t* set, siginfo_t* info, const struct timespec* timeout) {
  return set_errno(await(set, info, timeout));
}

EXPORT int signalfd(int fd, const sigset_t* set, int flags) {
  const uint64_t bits = awaited(set);
  return set_errno(GH_CALL4(signalfd4, fd, &bits, sizeof bits, flags));
}
