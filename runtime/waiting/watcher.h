/* The thread of the runtime's own that looks at all others. */
#ifndef GPROFHUB_RUNTIME_WAITING_WATCHER_H_
#define GPROFHUB_RUNTIME_WAITING_WATCHER_H_

#pragma GCC visibility push(hidden)

/* Starts it for this process, which has none. 0: that cannot be, and stderr has a line that says
 * why nothing of all this is recorded. It does not look until gh_watcher_switch(1). Call with
 * signals blocked, in a thread with a record. */
int gh_watcher_start(void);

/* From now on it looks, or does not. Async-signal-safe, as the next. */
void gh_watcher_switch(int on);

/* Adds what has been waited until now. Returns when that is done, or after a tenth of a second. */
void gh_watcher_take(void);

/* In a forked child, which has no such thread. */
void gh_watcher_after_fork(void);

#pragma GCC visibility pop

#endif
