/* Counters in the text (runtime/counters) need a register, different in each thread, that
 * addresses of counters are relative to. x86-64 has an unused one, the gs base. aarch64 has
 * none: x18 is free for compilers on Linux, and tpidr_el0 is libc's. There code with counters
 * cannot be generated, and a base is refused. */
#ifndef GPROFHUB_RUNTIME_PROCESSOR_COUNTER_BASE_H_
#define GPROFHUB_RUNTIME_PROCESSOR_COUNTER_BASE_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Candidate bases, in families: number `attempt` of a family, for a program whose first module has
 * its counters at `counters`. 0: the family has no more. */
enum { GH_COUNTER_FAMILIES = 6 };
uint64_t gh_counter_displacement(int family, uint32_t attempt, uint64_t counters);

/* An address next to which shared objects are loaded: the dynamic linker's. 0: a static program. */
uint64_t gh_shared_objects(void);

/* Sets the calling thread's base; 0: refused. */
int gh_set_counter_base(uint64_t base);

/* Target of the direct call or jump at `at`; 0: in another module. `*from` is the address that
 * identifies the place: a call's return address, as with mcount; for a jump an address inside
 * it, because another function may begin after it. */
uint64_t gh_call_target(const unsigned char* at, uint64_t* from);

#pragma GCC visibility pop

#endif
