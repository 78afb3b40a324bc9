/* Finds the counted function that a thread is in, directly or through callees. */
#ifndef GPROFHUB_RUNTIME_WAITING_CALLERS_H_
#define GPROFHUB_RUNTIME_WAITING_CALLERS_H_

#include <stdint.h>

/* A thread's registers, as far as known. Its stack must not change, otherwise the result may be
 * wrong. */
struct gh_place {
  uint64_t pc, sp;
  uint64_t frame;  /* the frame pointer */
  uint64_t link;   /* the return address, if a register has it; 0: unknown */
  int knows_frame; /* 0: frame is unknown */
  int is_next;     /* pc is the next instruction, not the return address of a call or system call */
};

#pragma GCC visibility push(hidden)

/* The innermost counted function on the thread's stack: as the return address of its call, or,
 * if the thread is in that function's own code, an address after that. 0: none, or unknown.
 * Async-signal-safe. */
uint64_t gh_find_caller(struct gh_place place);

#pragma GCC visibility pop

#endif
