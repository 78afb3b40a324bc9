/* Finds the counted function that a thread is in, directly or through callees. */
#ifndef GPROFHUB_RUNTIME_WAITING_CALLERS_H_
#define GPROFHUB_RUNTIME_WAITING_CALLERS_H_

#include <stdint.h>

#include "runtime/waiting/place.h"

#pragma GCC visibility push(hidden)

/* The innermost counted function on the thread's stack: as the return address of its call, or,
 * if the thread is in that function's own code, an address after that. 0: none, or unknown.
 * Async-signal-safe. */
uint64_t gh_find_caller(struct gh_place place);

#pragma GCC visibility pop

#endif
