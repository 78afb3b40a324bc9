/* Threads that libc starts to notify (SIGEV_THREAD) inherit the gs base of the requesting
 * thread. So both would count into the same counters (counters.h). The linker's --wrap redirects
 * the requests to functions of ours (notify_*.c): one file for each of libc's, because a static
 * program has only the ones it uses. */
#ifndef GPROFHUB_RUNTIME_PROCESS_NOTIFICATIONS_H_
#define GPROFHUB_RUNTIME_PROCESS_NOTIFICATIONS_H_

#include <signal.h>

/* If `event` requests a thread, the thread gets its own counters before it calls the function. */
__attribute__((visibility("hidden"))) void gh_notify_counted(struct sigevent* event);

/* Copies `event` to `own` with that change; 0 for 0. */
static inline struct sigevent* gh_counted_event(struct sigevent* own,
                                                const struct sigevent* event) {
  if (!event) return 0;
  *own = *event;
  gh_notify_counted(own);
  return own;
}

/* libc's function, and ours that replaces it. */
#define GH_WRAP(name, parameters, ...)                                \
  extern int __real_##name parameters;                                \
  __attribute__((visibility("hidden"))) int __wrap_##name parameters; \
  int __wrap_##name parameters { __VA_ARGS__ }

#endif
