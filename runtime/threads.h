/* Threads as the runtime sees them: each has a record in the recording and
 * tables of its own, which a later thread takes over once it is dead. */
#ifndef GPROFHUB_RUNTIME_THREADS_H_
#define GPROFHUB_RUNTIME_THREADS_H_

#include <stdint.h>

#include "profile/recording_format.h"

#pragma GCC visibility push(hidden)

/* What the stubs read, through initial-exec TLS: a load from the thread
 * pointer, no call. arc_stubs_x86_64.S knows the first two offsets. */
struct gh_tls {
  struct gprofhub_chunk* arcs; /* NULL: go the slow way */
  struct gprofhub_chunk* blocks;
  struct gprofhub_thread* thread;
  uint32_t inside; /* the stubs' slow way is under way, so often nested */
};
extern __thread struct gh_tls gh_tls __attribute__((tls_model("initial-exec")));

/* Counting off or on again, in all threads at once (moncontrol). */
void gh_counting_switch(int on);

/* The calling thread's record, made, sampler and all, if it has none yet.
 * NULL where the process records nothing. */
struct gprofhub_thread* gh_thread_self(void);

/* Adds `amount` to the calling thread's count of (key, context); the slot's
 * index in its table, or -1 if there was no memory (then nothing is counted).
 * *table, unless NULL, receives the table. Async-signal-safe. */
int64_t gh_count(uint32_t kind, uint64_t key, uint64_t context, uint64_t amount,
                 struct gprofhub_chunk** table);

/* All records of this process, for whoever writes its summary. */
uint32_t gh_thread_count(void);
struct gprofhub_thread* gh_thread_at(uint32_t index);

/* In a forked child, before anything of the program runs. */
void gh_threads_after_fork(void);

#pragma GCC visibility pop

#endif
