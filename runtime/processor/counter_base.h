/* What counters in the text (runtime/counters) ask of a processor: a register, for each
 * thread another, to which addresses of counters are relative. x86-64 has one that nobody
 * else uses, the gs base. aarch64 has none: x18 is free for compilers on Linux, and
 * tpidr_el0 is libc's. There no code with counters can be made, and a base is refused. */
#ifndef GPROFHUB_RUNTIME_PROCESSOR_COUNTER_BASE_H_
#define GPROFHUB_RUNTIME_PROCESSOR_COUNTER_BASE_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The bases to try, one after the other: number `attempt`, of a program whose first module
 * has its counters at `counters`. 0: there is none. */
uint64_t gh_counter_displacement(uint32_t attempt, uint64_t counters);

/* Sets the calling thread's base; 0: refused. */
int gh_set_counter_base(uint64_t base);

/* Where the direct call or jump at `at` leads; 0: to another module. `*from` is what
 * stands for the place: a call's return address, as mcount has it, but an address
 * within a jump, behind which another function may begin. */
uint64_t gh_call_target(const unsigned char* at, uint64_t* from);

#pragma GCC visibility pop

#endif
