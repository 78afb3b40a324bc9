/* The processor's gs base, to which a thread's counters are relative. */
#ifndef GPROFHUB_RUNTIME_COUNTERS_GS_BASE_H_
#define GPROFHUB_RUNTIME_COUNTERS_GS_BASE_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* 1 if programs may set any gs base, by the instruction wrgsbase (Linux 5.9);
 * otherwise only a positive one can be had, from the kernel. */
int gh_may_write_gs_base(void);

/* Sets that of the calling thread; 0: refused. */
int gh_set_gs_base(uint64_t base);

#pragma GCC visibility pop

#endif
