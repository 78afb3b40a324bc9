/* Which counted function a thread is in, or called what it is in. */
#ifndef GPROFHUB_RUNTIME_WAITING_CALLERS_H_
#define GPROFHUB_RUNTIME_WAITING_CALLERS_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Where a thread stands. Its stack must hold still, or else the answer may be of no use. */
struct gh_place {
  uint64_t pc, sp;
  uint64_t frame;  /* the frame pointer */
  uint64_t link;   /* what gh_link_of says of it; 0: nobody said that */
  int knows_frame; /* 0: nobody said what it is */
  int is_next;     /* pc is what is executed next, and not what a call or system call returns to */
};

/* The innermost of the counted functions that the thread is in: as the return address of its call,
 * or, if the thread is in that function's own code, an address behind that. 0: there is none, or
 * it cannot be told. Async-signal-safe. */
uint64_t gh_find_caller(struct gh_place place);

#pragma GCC visibility pop

#endif
