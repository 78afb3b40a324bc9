/* How one frame of a stack leads to the next, as the compiler wrote it down in .eh_frame. */
#ifndef GPROFHUB_RUNTIME_WAITING_UNWIND_RULES_H_
#define GPROFHUB_RUNTIME_WAITING_UNWIND_RULES_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* What becomes of the frame pointer. */
enum gh_frame_pointer { GH_FRAME_KEPT, GH_FRAME_SAVED, GH_FRAME_LOST };

/* All offsets are from the frame's end: the stack pointer that the caller has after the call. */
struct gh_unwind_rule {
  uint64_t begin, end; /* of the function, or of a part of it that stands elsewhere */
  int from_frame;      /* the frame's end is `offset` behind the frame pointer, else behind sp */
  int64_t offset;
  enum gh_frame_pointer frame_pointer;
  int64_t frame_pointer_at; /* with GH_FRAME_SAVED */
  int in_register;          /* the return address still is where the call left it, else */
  int64_t return_at;        /* that is on the stack here */
};

/* The rule at an instruction; 0 where there is none, or one that is not so simple. Reads memory
 * through gh_peek only, takes no lock, and needs less than a kilobyte of stack. */
int gh_find_unwind_rule(uint64_t pc, struct gh_unwind_rule* rule);

#pragma GCC visibility pop

#endif
