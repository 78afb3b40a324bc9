/* Registers that unwinding needs but the kernel does not report for a blocked thread. They are
 * searched on the stack, which must not change. */
#ifndef GPROFHUB_RUNTIME_WAITING_LOST_REGISTERS_H_
#define GPROFHUB_RUNTIME_WAITING_LOST_REGISTERS_H_

#include "runtime/waiting/place.h"

#pragma GCC visibility push(hidden)

/* The frame pointer of the function that the place is in. 0: not found. Both functions are
 * async-signal-safe. */
int gh_search_frame(struct gh_place* place);

/* The return address of that function, which it has in a register: the place's sp is its
 * caller's. 0: not found. */
int gh_search_link(struct gh_place* place);

#pragma GCC visibility pop

#endif
