/* Where a thread stands, as far as somebody has told. */
#ifndef GPROFHUB_RUNTIME_WAITING_PLACE_H_
#define GPROFHUB_RUNTIME_WAITING_PLACE_H_

#include <stdint.h>

/* Its stack must hold still, or else the answer may be of no use. */
struct gh_place {
  uint64_t pc, sp;
  uint64_t frame;  /* the frame pointer */
  uint64_t link;   /* what gh_link_of says of it; 0: nobody said that */
  int knows_frame; /* 0: nobody said what it is */
  int is_next;     /* pc is what is executed next, and not what a call or system call returns to */
};

#endif
