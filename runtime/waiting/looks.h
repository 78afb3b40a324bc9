/* Looks at threads, and what they add up to. */
#ifndef GPROFHUB_RUNTIME_WAITING_LOOKS_H_
#define GPROFHUB_RUNTIME_WAITING_LOOKS_H_

#include <stdint.h>

#include "profile/recording/format.h"

#pragma GCC visibility push(hidden)

/* What is remembered of a thread between two looks. All zero: nothing. */
struct gh_watched {
  uint64_t owner; /* as in its record; 0: nobody has looked yet */
  uint64_t last;  /* when it was looked at, in nanoseconds; 0: time does not count until it is */
  uint64_t next;  /* when to look again */
  uint64_t since; /* since when it has been seen at the same place */
  uint64_t sp, caller;
  uint32_t rest;   /* nanoseconds beyond whole microseconds */
  uint8_t blocked; /* the rest of the entry says where */
  uint8_t gone;
  int32_t fd_plus_one; /* of its state; 0: not open */
};

/* Between two looks at a thread that does not wait for long, on average. */
enum { GH_LOOK_NS = 4000000 };

/* Looks at the thread with the record `thread` at the time `now` and adds its waiting to the
 * tables of `self`, the record of the calling thread. System calls whose first argument is
 * `own_word` are the runtime's own. 0: it is gone. */
int gh_look(struct gh_watched* watched, const struct gprofhub_thread* thread,
            struct gprofhub_thread* self, uint64_t now, const void* own_word);

#pragma GCC visibility pop

#endif
