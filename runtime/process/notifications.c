/* A program has few notification functions. So each gets a permanent slot, and its argument is
 * passed through. */
#include "runtime/process/notifications.h"

#include "runtime/base/complain.h"
#include "runtime/base/signals.h"
#include "runtime/counters/counters.h"
#include "runtime/process/threads.h"

enum { PLACES = 64 };

typedef void (*notified)(union sigval);
static notified wanted[PLACES]; /* function of each slot; 0: free */

static void notify(int place, union sigval value) {
  const struct gh_signals signals = gh_block_signals();
  gh_thread_self();
  gh_restore_signals(signals);
  wanted[place](value);
}

/* A function for each slot, by its number with two octal digits. */
#define EIGHT(of, digit)                                                                          \
  of(0##digit##0) of(0##digit##1) of(0##digit##2) of(0##digit##3) of(0##digit##4) of(0##digit##5) \
      of(0##digit##6) of(0##digit##7)
#define ALL(of) \
  EIGHT(of, 0)  \
  EIGHT(of, 1) EIGHT(of, 2) EIGHT(of, 3) EIGHT(of, 4) EIGHT(of, 5) EIGHT(of, 6) EIGHT(of, 7)
#define FUNCTION(number) \
  static void notify_##number(union sigval value) { notify(number, value); }
#define NAME(number) notify_##number,
ALL(FUNCTION)
static const notified kNotify[PLACES] = {ALL(NAME)};

/* The function for libc to call instead of `function`. */
static notified stand_in(notified function) {
  for (int i = 0; i < PLACES; ++i) {
    if (function == kNotify[i]) return function; /* a control block that is reused */
  }
  for (int i = 0; i < PLACES; ++i) {
    notified held = 0;
    if (__atomic_compare_exchange_n(&wanted[i], &held, function, 0, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED) ||
        held == function) {
      return kNotify[i];
    }
  }
  gh_complain(GH_THREADS, "calls of threads that libc starts may be lost",
              "they run more than 64 different functions");
  return function;
}

void gh_notify_counted(struct sigevent* event) {
  if (event->sigev_notify != SIGEV_THREAD || !gh_counters_in_use()) return;
  event->sigev_notify_function = stand_in(event->sigev_notify_function);
}
