/* Switches counting and sampling, discards or copies the recording, while the program runs:
 * requested by the program itself (gprofhub.h) or from outside (gprofhub live). */
#ifndef GPROFHUB_RUNTIME_PROCESS_LIVE_H_
#define GPROFHUB_RUNTIME_PROCESS_LIVE_H_

#include "profile/format/recording.h"

#pragma GCC visibility push(hidden)

/* Called before the first thread of a process is sampled: starts switched off if the environment
 * requests that. */
void gh_live_begin(void);

/* At the process's end: reports if the awaited function was never called. */
void gh_live_end(void);

/* GPROFHUB_START=call=: the awaited function is [low, low + bytes). bytes is 0 after its first
 * call, or without such a function. */
extern volatile uint64_t gh_awaited_low, gh_awaited_bytes;
static inline int gh_live_awaits(uint64_t pc) { return pc - gh_awaited_low < gh_awaited_bytes; }

/* The awaited function's first call: recording begins. The call itself is not counted yet. */
void gh_live_call_came(struct gprofhub_thread* self);

/* In a forked child: takes over the parent's state (on, off or waiting). */
void gh_live_after_fork(void);

/* Switches recording off (0) or on, in all threads at once. Async-signal-safe, as all of these.
 * `self` is the calling thread's record, or NULL. */
void gh_live_switch(struct gprofhub_thread* self, int on);

/* Discards all counts and samples so far. */
void gh_live_reset(struct gprofhub_thread* self);

/* Carries out a gprofhub_request. With 0: the one in the recording's header, with an answer
 * there. */
void gh_live_carry_out(struct gprofhub_thread* self, uint32_t request);

/* Copies the present recording to <program>.<pid>.<label>.gprofhub-dump in the same directory.
 * The label is cut at a slash. 0 if that fails, with a line on stderr. */
int gh_live_dump(struct gprofhub_thread* self, const char* label);

#pragma GCC visibility pop

#endif
