/* Records of GPROFHUB_WAITING=1: quantities (runtime/gprofhub.h), in microseconds, by the
 * function that waits or makes the system call. The names appear in reports. */
#ifndef GPROFHUB_RUNTIME_WAITING_QUANTITIES_H_
#define GPROFHUB_RUNTIME_WAITING_QUANTITIES_H_

#include <stdint.h>

#include "profile/format/recording.h"

#pragma GCC visibility push(default)

/* Each is one function, identified by its name: a hidden one would differ in each program. */
void gprofhub_waiting_microseconds(void);
void gprofhub_system_microseconds(void);

#pragma GCC visibility pop
#pragma GCC visibility push(hidden)

/* Adds to a quantity for the function at `caller`, a result of gh_find_caller, in the tables of
 * the calling thread, whose record this is. Async-signal-safe. */
void gh_add_microseconds(struct gprofhub_thread* self, void (*quantity)(void), uint64_t caller,
                         uint64_t microseconds);

#pragma GCC visibility pop

#endif
