/* Identifies functions whose calls are counted. */
#ifndef GPROFHUB_RUNTIME_WAITING_COUNTED_CODE_H_
#define GPROFHUB_RUNTIME_WAITING_COUNTED_CODE_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Whether the function at [begin, end) begins with a call of the counting stubs, or has counters in
 * its text. Slow; the answer never changes. Async-signal-safe. */
int gh_is_counted(uint64_t begin, uint64_t end);

/* Target of a call, if necessary through a procedure linkage table; 0: unknown. */
struct gh_call;
uint64_t gh_target_of(const struct gh_call* call);

#pragma GCC visibility pop

#endif
