/* Samples at known places, in a known number: the signal of the runtime's timer,
 * sent by hand. The kernel lets a process send itself a signal that looks like any.
 * Run with GPROFHUB_SAMPLER=timer and GPROFHUB_SAMPLE_RATE=1: the real timer fires
 * after a second of CPU time only. */
#ifndef GPROFHUB_TESTS_RUNTIME_SAMPLES_H_
#define GPROFHUB_TESTS_RUNTIME_SAMPLES_H_

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#define SAMPLES_INLINE static inline __attribute__((always_inline, no_instrument_function))

/* A system call in the very function that asks for it: a signal that it raises has
 * its program counter there. */
SAMPLES_INLINE long system_call(long number, long a, long b, long c, const void* d) {
#ifdef __aarch64__
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = (long)d;
  __asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
#else
  long result;
  register long r10 __asm__("r10") = (long)d;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                   : "rcx", "r11", "memory");
  return result;
#endif
}

/* The siginfo of a timer's signal that represents 1 + `overrun` periods. */
SAMPLES_INLINE siginfo_t sample_signal(int code, int overrun) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = SIGPROF;
  info.si_code = code;
  info.si_overrun = overrun;
  return info;
}

/* Sends it to the calling thread; 0 if it was sent. */
SAMPLES_INLINE long send_sample(const siginfo_t* info) {
  return system_call(SYS_rt_tgsigqueueinfo, system_call(SYS_getpid, 0, 0, 0, 0),
                     system_call(SYS_gettid, 0, 0, 0, 0), SIGPROF, info);
}

/* One period, in the function that calls this. */
SAMPLES_INLINE void take_sample(void) {
  const siginfo_t info = sample_signal(SI_TIMER, 0);
  send_sample(&info);
}

#endif
