/* A function's entry in an object's .eh_frame: programs that describe its frames. */
#ifndef GPROFHUB_RUNTIME_WAITING_EH_FRAME_H_
#define GPROFHUB_RUNTIME_WAITING_EH_FRAME_H_

#include <stdint.h>

#include "runtime/waiting/cursor.h"

#pragma GCC visibility push(hidden)

/* An FDE with its CIE. */
struct gh_frame_description {
  uint64_t begin, end; /* of the function, or of a part of it elsewhere */
  uint64_t code_alignment;
  int64_t data_alignment;
  struct gh_cursor common_program; /* rules at the beginning of any such function */
  struct gh_cursor program;        /* changes from there on */
};

/* The entry of the function at pc; 0: there is none, or it is a signal handler's caller, or its
 * form is unusual. Takes no lock. */
int gh_find_frame_description(uint64_t pc, struct gh_frame_description* description);

/* Whether the program itself has a table of such descriptions. Linkers create one only on
 * request: compilers request it, except for static programs. */
int gh_program_has_frames(void);

#pragma GCC visibility pop

#endif
