/* Counting and sampling switched, and what was recorded thrown away or copied, while the
 * program runs: by the program itself (gprofhub.h) or from outside (gprofhub live). */
#ifndef GPROFHUB_RUNTIME_PROCESS_LIVE_H_
#define GPROFHUB_RUNTIME_PROCESS_LIVE_H_

#include "profile/recording/format.h"

#pragma GCC visibility push(hidden)

/* Before the first thread of a process is sampled: begins switched off if the environment asks
 * for that. */
void gh_live_begin(void);

/* What is left undone at the end: a function that was waited for was not called. */
void gh_live_end(void);

/* GPROFHUB_START=call=: the function that is waited for is [low, low + bytes). bytes is 0 once it
 * was called, or if none is. */
extern volatile uint64_t gh_awaited_low, gh_awaited_bytes;
static inline int gh_live_awaits(uint64_t pc) { return pc - gh_awaited_low < gh_awaited_bytes; }

/* It is called for the first time: recording begins. The call itself is yet to be counted. */
void gh_live_call_came(struct gprofhub_thread* self);

/* In a forked child: it is on or off as its parent was, or waits as long as its parent did. */
void gh_live_after_fork(void);

/* Off (0) or on again, in all threads at once. Async-signal-safe, as all of these. `self` is the
 * calling thread's record, or NULL. */
void gh_live_switch(struct gprofhub_thread* self, int on);

/* All that was counted and sampled until now is forgotten. */
void gh_live_reset(struct gprofhub_thread* self);

/* Does what is asked for, a gprofhub_request. With 0: what the recording's header asks for, and
 * answers. */
void gh_live_carry_out(struct gprofhub_thread* self, uint32_t request);

/* Copies the recording as it is now to <program>.<pid>.<label>.gprofhub-dump beside it. The
 * label is cut at a slash. 0: it could not be; a line on stderr says why. */
int gh_live_dump(struct gprofhub_thread* self, const char* label);

#pragma GCC visibility pop

#endif
