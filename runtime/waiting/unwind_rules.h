/* How to step from a frame to its caller's, according to the compiler's .eh_frame. */
#ifndef GPROFHUB_RUNTIME_WAITING_UNWIND_RULES_H_
#define GPROFHUB_RUNTIME_WAITING_UNWIND_RULES_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Where the caller's frame pointer is. */
enum gh_frame_pointer { GH_FRAME_KEPT, GH_FRAME_SAVED, GH_FRAME_LOST };

/* All offsets are from the frame's end: the caller's stack pointer after the call. */
struct gh_unwind_rule {
  uint64_t begin, end; /* of the function, or of a part of it elsewhere */
  int from_frame;      /* the frame's end is `offset` from the frame pointer, otherwise from sp */
  int64_t offset;
  enum gh_frame_pointer frame_pointer;
  int64_t frame_pointer_at; /* with GH_FRAME_SAVED */
  int in_register;          /* the return address is still in its register, otherwise */
  int64_t return_at;        /* here on the stack */
};

/* The rule at an instruction; 0 if there is none, or an unsupported one. Reads memory through
 * gh_peek only, takes no lock, and needs less than a kilobyte of stack. */
int gh_find_unwind_rule(uint64_t pc, struct gh_unwind_rule* rule);

#pragma GCC visibility pop

#endif
