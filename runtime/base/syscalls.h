/* System calls without libc: they leave errno alone, cannot be interposed, take no
 * lock and may be made before main, in signal handlers and while the floating-point
 * argument registers are live. A port to another processor writes this file anew
 * (docs/runtime.md, "Limits"). Results below 0 are -errno. */
#ifndef GPROFHUB_RUNTIME_BASE_SYSCALLS_H_
#define GPROFHUB_RUNTIME_BASE_SYSCALLS_H_

#include <stdint.h>
#include <sys/syscall.h>

#if !defined(__x86_64__)
#error "the runtime knows x86-64 only; see docs/runtime.md, Limits"
#endif

static inline long gh_syscall(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

#define GH_CALL0(n) gh_syscall(SYS_##n, 0, 0, 0, 0, 0, 0)
#define GH_CALL1(n, a) gh_syscall(SYS_##n, (long)(a), 0, 0, 0, 0, 0)
#define GH_CALL2(n, a, b) gh_syscall(SYS_##n, (long)(a), (long)(b), 0, 0, 0, 0)
#define GH_CALL3(n, a, b, c) gh_syscall(SYS_##n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define GH_CALL4(n, a, b, c, d) \
  gh_syscall(SYS_##n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define GH_CALL5(n, a, b, c, d, e) \
  gh_syscall(SYS_##n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define GH_CALL6(n, a, b, c, d, e, f) \
  gh_syscall(SYS_##n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#define GH_FAILED(result) ((unsigned long)(result) > -4096UL)

/* Adds to a counter of the calling thread in one instruction, so that a signal
 * handler that adds to the same counter loses nothing. */
static inline void gh_add(uint64_t* counter, uint64_t amount) {
  __asm__ volatile("addq %1,%0" : "+m"(*counter) : "er"(amount) : "cc");
}

#endif
