/* What unwinding needs of a blocked thread, and the kernel does not tell. It is searched on the
 * stack, which holds still. */
#ifndef GPROFHUB_RUNTIME_WAITING_LOST_REGISTERS_H_
#define GPROFHUB_RUNTIME_WAITING_LOST_REGISTERS_H_

#include "runtime/waiting/place.h"

#pragma GCC visibility push(hidden)

/* The frame pointer of the function that the place is in. 0: it is not found. Async-signal-safe, as
 * the next. */
int gh_search_frame(struct gh_place* place);

/* The return address of that function, which it has in a register: the place's sp is as its caller
 * has it. 0: it is not found. */
int gh_search_link(struct gh_place* place);

#pragma GCC visibility pop

#endif
