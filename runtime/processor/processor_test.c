/* Contracts that every processor's code must meet. */
#define _GNU_SOURCE
#include "runtime/processor/processor.h"

#include <elf.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/processor/call_code.h"
#include "runtime/processor/machine.h"

static int failures;
#define CHECK(condition)                                                \
  do {                                                                  \
    if (!(condition)) {                                                 \
      fprintf(stderr, "line %d: not true: %s\n", __LINE__, #condition); \
      failures++;                                                       \
    }                                                                   \
  } while (0)

static void memory(void) {
  char bytes[] = "abcdef";
  gh_copy(bytes + 1, "XY", 2);
  CHECK(memcmp(bytes, "aXYdef", 7) == 0);
  gh_copy(bytes, bytes + 1, 5);
  CHECK(memcmp(bytes, "XYdeff", 7) == 0);
  gh_copy(bytes, "Z", 0);
  gh_clear(bytes, 0);
  CHECK(bytes[0] == 'X');
  gh_clear(bytes + 3, 3);
  CHECK(memcmp(bytes, "XYd\0\0\0", 7) == 0);
}

static void system_calls(void) {
  CHECK(gh_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0) == getpid());
  CHECK(gh_syscall(SYS_close, -1, 0, 0, 0, 0, 0) == -9 /* EBADF */);
  /* The sixth argument arrives: mmap refuses an offset within a page. */
  CHECK(gh_syscall(SYS_mmap, 0, 4096, 1, 0x22, -1, 1) == -22 /* EINVAL */);
  CHECK(gh_page_bytes() == getauxval(AT_PAGESZ));
  CHECK(gh_auxiliary(AT_SECURE) == 0);
  CHECK(gh_auxiliary(0x7fffffff) == 0);
  CHECK(gh_whole_pages(1) == gh_page_bytes());
  CHECK(gh_whole_pages(gh_page_bytes()) == gh_page_bytes());
}

static uint64_t counter;
static volatile uint64_t handled;
static volatile uint64_t pc, sp, frame; /* written by the handler */

static void on_signal(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)info;
  gh_add(&counter, 1);
  handled += 1;
  pc = gh_pc_of(context);
  sp = gh_sp_of(context);
  frame = gh_frame_of(context);
}

/* A process timer interrupts the additions at any point; none is lost. */
static void additions(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGALRM, &action, 0);
  ualarm(100, 100);
  uint64_t added = 0;
  while (handled < 200) {
    for (int i = 0; i < 1000; ++i) gh_add(&counter, 3);
    added += 3000;
  }
  ualarm(0, 0);
  CHECK(counter == added + handled);
  gh_add(&counter, (uint64_t)-1);
  CHECK(counter == added + handled - 1);
}

extern const char __executable_start[], etext[];

__attribute__((noinline)) static void registers(void) {
  char here;
  pc = sp = frame = 0;
  gh_syscall(SYS_tgkill, getpid(), gh_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0), SIGALRM, 0, 0, 0);
  CHECK(pc >= (uint64_t)__executable_start && pc < (uint64_t)etext);
  CHECK((uint64_t)&here - sp < 4096);
  CHECK(frame == (uint64_t)__builtin_frame_address(0));
  const uint64_t* words = (const uint64_t*)frame;
  CHECK(gh_code_address(words[1]) == gh_code_address((uint64_t)__builtin_return_address(0)));
  CHECK(gh_code_address(words[1]) < (uint64_t)etext);
}

__attribute__((noinline)) static uint64_t returns_to(void) {
  return gh_code_address((uint64_t)__builtin_return_address(0));
}

static uint64_t (*volatile through_pointer)(void) = returns_to;

static void calls(void) {
  struct gh_call call;
  uint64_t address = returns_to();
  const unsigned char* code = (const unsigned char*)address;
  CHECK(gh_call_before(code - GH_LONGEST_CALL, address, &call) &&
        call.target == (uint64_t)returns_to);
  CHECK(gh_call_at(code - GH_CALL_BYTES, GH_CALL_BYTES, address - GH_CALL_BYTES, &call) &&
        call.target == (uint64_t)returns_to);
  CHECK(!gh_call_at(code - GH_CALL_BYTES, GH_CALL_BYTES - 1, address - GH_CALL_BYTES, &call));
  address = through_pointer();
  code = (const unsigned char*)address;
  CHECK(gh_call_before(code - GH_LONGEST_CALL, address, &call) && !call.target && !call.slot);
  CHECK(!gh_is_system_call(code - GH_SYSTEM_CALL_BYTES));
  gh_syscall(SYS_tgkill, getpid(), gh_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0), SIGALRM, 0, 0, 0);
  CHECK(gh_is_system_call((const unsigned char*)pc - GH_SYSTEM_CALL_BYTES));
}

enum { THREAD_BYTES = 65536 };
static char thread_memory[2 * THREAD_BYTES] __attribute__((aligned(64)));
static uint64_t its_pointer, its_stack;
static uint32_t has_run;

static void run(void) {
  char here;
  its_pointer = gh_thread_pointer();
  its_stack = (uint64_t)&here;
  __atomic_store_n(&has_run, 1, __ATOMIC_RELEASE);
  gh_syscall(SYS_futex, (long)&has_run, FUTEX_WAKE, 1, 0, 0, 0);
  for (;;) gh_syscall(SYS_exit, 0, 0, 0, 0, 0, 0);
}

static void threads(void) {
  char* const stack_end = thread_memory + THREAD_BYTES;
  const uint64_t pointer = (uint64_t)stack_end + THREAD_BYTES / 2;
  gh_set_up_thread_pointer(pointer);
  const long thread = gh_start_thread(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
                                          CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS,
                                      stack_end, pointer, run);
  CHECK(thread > 0);
  if (thread <= 0) return;
  while (!__atomic_load_n(&has_run, __ATOMIC_ACQUIRE)) {
    gh_syscall(SYS_futex, (long)&has_run, FUTEX_WAIT, 0, 0, 0, 0);
  }
  CHECK(its_pointer == pointer);
  CHECK(its_stack < (uint64_t)stack_end && its_stack > (uint64_t)stack_end - 1024);
}

int main(void) {
  memory();
  system_calls();
  additions();
  registers();
  calls();
  threads();
  if (!failures) puts("ok");
  return failures != 0;
}
