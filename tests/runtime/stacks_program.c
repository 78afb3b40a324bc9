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

/* All of its time is the counting of calls: it is executed step by step, and each
 * time that mcount begins a sample is sent, which waits until the step's handler is
 * left, and so comes there. */
extern void mcount(void);
static volatile int steps_end;
static PLAIN void on_step(int signal, siginfo_t* unused, void* context) {
  (void)signal;
  (void)unused;
  greg_t* registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  if (registers[REG_RIP] == (greg_t)(uintptr_t)mcount) take_sample();
  if (steps_end) registers[REG_EFL] &= ~0x100L;
}

APART void nothing(void) { __asm__ volatile(""); }
APART void count(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_step;
  action.sa_flags = SA_SIGINFO;
  sigaddset(&action.sa_mask, SIGPROF);
  sigaction(SIGTRAP, &action, 0);
  __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" : : : "memory", "cc");
  for (int i = 0; i < 50; ++i) nothing();
  steps_end = 1;
  __asm__ volatile("nop");
}

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
