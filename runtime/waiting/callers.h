/* Which counted function a thread is in, or called what it is in. */
#ifndef GPROFHUB_RUNTIME_WAITING_CALLERS_H_
#define GPROFHUB_RUNTIME_WAITING_CALLERS_H_

#include <stdint.h>

#include "runtime/waiting/place.h"

#pragma GCC visibility push(hidden)

/* The innermost of the counted functions that the thread is in: as the return address of its call,
 * or, if the thread is in that function's own code, an address behind that. 0: there is none, or
 * it cannot be told. Async-signal-safe. */
uint64_t gh_find_caller(struct gh_place place);

#pragma GCC visibility pop

#endif
