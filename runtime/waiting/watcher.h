/* The runtime's own thread, which looks at all others. */
#ifndef GPROFHUB_RUNTIME_WAITING_WATCHER_H_
#define GPROFHUB_RUNTIME_WAITING_WATCHER_H_

#pragma GCC visibility push(hidden)

/* Starts it for this process, which has none. 0: impossible; a line on stderr gives the reason
 * why waiting is not recorded. It does not look until gh_watcher_switch(1). Call with signals
 * blocked, in a thread with a record. */
int gh_watcher_start(void);

/* Enables or disables the looks. Async-signal-safe, as gh_watcher_take. */
void gh_watcher_switch(int on);

/* Adds the waiting time so far. Returns when that is done, or after a tenth of a second. */
void gh_watcher_take(void);

/* In a forked child, which has no such thread. */
void gh_watcher_after_fork(void);

#pragma GCC visibility pop

#endif
