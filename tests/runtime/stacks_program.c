/* A program whose samples are known in advance, for stacks_test.cc: it takes them
 * itself. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/runtime/samples.h"

#define APART __attribute__((noinline, noclone, noipa))
#define PLAIN __attribute__((no_instrument_function))

static long comparisons;

/* Called equally often by `cheap` and `dear`, for one tenth and nine of the time. */
APART void work(long samples) {
  for (long i = 0; i < samples; ++i) take_sample();
}
APART void cheap(void) {
  for (int i = 0; i < 100; ++i) work(1);
}
APART void dear(void) {
  for (int i = 0; i < 100; ++i) work(9);
}

/* All of its time is in libc, in code without frame pointers: the signal comes while
 * libc's own function makes the system call. */
APART void copy(void) {
  const siginfo_t info = sample_signal(SI_TIMER, 0);
  for (int i = 0; i < 200; ++i) {
    syscall(SYS_rt_tgsigqueueinfo, (long)getpid(), (long)gettid(), (long)SIGPROF, &info);
  }
}

/* Called by libc. */
APART int compare(const void* a, const void* b) {
  ++comparisons;
  return *(const int*)a - *(const int*)b;
}

/* All of its time is the counting of calls: each time that mcount begins, a sample is
 * taken there. A signal's handler sends it, blocked, so it comes when the handler is left. */
extern void mcount(void);
APART void nothing(void) { __asm__ volatile(""); }

static PLAIN void handle_traps(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGTRAP, &action, 0);
}

/* To be called in a handler: the sample comes when it is left. The runtime lets no function of libc
 * block its signal. */
static PLAIN void take_sample_behind(void) {
  const uint64_t sigprof = UINT64_C(1) << (SIGPROF - 1);
  system_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&sigprof, 0, (const void*)sizeof sigprof);
  take_sample();
}

#ifdef __aarch64__
/* A program cannot execute itself step by step here. The handler returns to mcount, as if
 * it had been called where the signal came. */
static PLAIN void on_trap(int signal, siginfo_t* unused, void* context) {
  (void)signal;
  (void)unused;
  mcontext_t* const registers = &((ucontext_t*)context)->uc_mcontext;
  take_sample_behind();
  registers->regs[30] = registers->pc;
  registers->pc = (uint64_t)mcount;
}

APART void count(void) {
  handle_traps(on_trap);
  for (int i = 0; i < 50; ++i) {
    nothing();
    const long process = getpid(), thread = gettid();
    register long x8 __asm__("x8") = SYS_tgkill;
    register long x0 __asm__("x0") = process;
    register long x1 __asm__("x1") = thread;
    register long x2 __asm__("x2") = SIGTRAP;
    __asm__ volatile("svc #0"
                     : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x8)
                     :
                     : "memory", "cc", "x3", "x4", "x5", "x6", "x7", "x9", "x10", "x11", "x12",
                       "x13", "x14", "x15", "x16", "x17", "x30");
  }
}
#else
/* It is executed step by step. */
static volatile int steps_end;
static PLAIN void on_step(int signal, siginfo_t* unused, void* context) {
  (void)signal;
  (void)unused;
  greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  if (registers[REG_RIP] == (greg_t)(uintptr_t)mcount) take_sample_behind();
  if (steps_end) registers[REG_EFL] &= ~0x100L;
}

APART void count(void) {
  handle_traps(on_step);
  __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc");
  for (int i = 0; i < 50; ++i) nothing();
  steps_end = 1;
  __asm__ volatile("nop");
}
#endif

int main(void) {
  cheap();
  dear();
  copy();
  static int numbers[1000];
  for (int i = 0; i < 1000; ++i) numbers[i] = (i * 7919) % 1009;
  qsort(numbers, 1000, sizeof numbers[0], compare);
  count();
  printf("%ld\n", comparisons);
  return 0;
}
