/* A thread's registers, as far as known. */
#ifndef GPROFHUB_RUNTIME_WAITING_PLACE_H_
#define GPROFHUB_RUNTIME_WAITING_PLACE_H_

#include <stdint.h>

/* Its stack must not change, otherwise the result may be wrong. */
struct gh_place {
  uint64_t pc, sp;
  uint64_t frame;  /* the frame pointer */
  uint64_t link;   /* result of gh_link_of; 0: unknown */
  int knows_frame; /* 0: frame is unknown */
  int is_next;     /* pc is the next instruction, not the return address of a call or system call */
};

#endif
