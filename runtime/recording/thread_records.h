/* A record for each thread, in the recording, with its own tables. A later thread takes over
 * those of a dead one. */
#ifndef GPROFHUB_RUNTIME_RECORDING_THREAD_RECORDS_H_
#define GPROFHUB_RUNTIME_RECORDING_THREAD_RECORDS_H_

#include <stdint.h>

#include "profile/format/recording.h"

#pragma GCC visibility push(hidden)

/* Read by the stubs, through initial-exec TLS: a load from the thread pointer, no call.
 * runtime/processor/arc_stubs_*.S use the first two offsets. */
enum { GH_HELD_BACK = 2 /* and another's SIGPROF waits, so the kernel blocks it, too */ };
struct gh_tls {
  struct gprofhub_chunk* arcs; /* NULL: take the slow path */
  struct gprofhub_chunk* blocks;
  struct gprofhub_thread* thread;
  uint32_t inside; /* nesting depth of the stubs' slow path */
  uint32_t
      blocked; /* 1: for the program, this thread blocks SIGPROF (signal_masks.c); GH_HELD_BACK */
  uint64_t before; /* gh_ring_head at its start, or -1 while unknown */
};
extern __thread struct gh_tls gh_tls __attribute__((tls_model("initial-exec")));

/* Gives the calling thread, whose id is `self`, a record, and sets its gh_tls. NULL: out of
 * memory. *dropped: the record was a dead thread's, whose timer the caller must free. Call with
 * signals blocked. */
struct gprofhub_thread* gh_record_obtain(uint32_t self, int* dropped);

/* All records of this process; NULL for one that does not exist yet. */
uint32_t gh_thread_count(void);
struct gprofhub_thread* gh_thread_at(uint32_t index);

/* The index of a record that gh_record_obtain returned. */
uint32_t gh_thread_index(const struct gprofhub_thread* record);

/* Saves the present values of all records as those of the mark at `place` (marks.h). */
void gh_records_mark(uint32_t place);

/* In a forked child: no thread has a record any more. Returns the tables that interrupted code
 * may still point to. */
void gh_records_forget(struct gprofhub_chunk** arcs, struct gprofhub_chunk** blocks);

#pragma GCC visibility pop

#endif
