/* Looks at threads, and the waiting time that they add up to. */
#ifndef GPROFHUB_RUNTIME_WAITING_LOOKS_H_
#define GPROFHUB_RUNTIME_WAITING_LOOKS_H_

#include <stdint.h>

#include "profile/format/recording.h"

#pragma GCC visibility push(hidden)

/* State of a thread between two looks. All zero: none. */
struct gh_watched {
  uint64_t owner; /* as in its record; 0: not looked at yet */
  uint64_t
      last; /* time of the last look in nanoseconds; 0: time does not count until the next one */
  uint64_t next;  /* time of the next look */
  uint64_t since; /* first time at the present place */
  uint64_t sp, caller;
  uint32_t rest;   /* nanoseconds beyond whole microseconds */
  uint8_t blocked; /* the fields after it describe the place */
  uint8_t gone;
  int32_t fd_plus_one; /* descriptor of its state; 0: not open */
};

/* Mean interval between two looks at a thread that does not wait for long. */
enum { GH_LOOK_NS = 4000000 };

/* Looks at the thread with the record `thread` at the time `now` and adds its waiting to the
 * tables of `self`, the record of the calling thread. System calls whose first argument is
 * `own_word` are the runtime's own. 0: the thread is gone. */
int gh_look(struct gh_watched* watched, const struct gprofhub_thread* thread,
            struct gprofhub_thread* self, uint64_t now, const void* own_word);

#pragma GCC visibility pop

#endif
