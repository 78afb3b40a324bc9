/* x86-64; processor.h has the contracts. Sources: the System V ABI's AMD64 supplement,
 * syscall(2), signal.h of the kernel. */
#ifndef GPROFHUB_RUNTIME_PROCESSOR_X86_64_H_
#define GPROFHUB_RUNTIME_PROCESSOR_X86_64_H_

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

enum { GH_CALL_BYTES = 5, GH_LIBRARY_THUNK_BYTES = 96 };
enum { GH_TLS_ABOVE = 0, GH_CFI_STACK = 7, GH_CFI_FRAME = 6, GH_CFI_RETURN = 16 };

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

static inline uint64_t gh_thread_pointer(void) {
  uint64_t self;
  __asm__("movq %%fs:0,%0" : "=r"(self));
  return self;
}

static inline void gh_set_up_thread_pointer(uint64_t pointer) { *(uint64_t*)pointer = pointer; }

/* The new thread starts after the system call, with an empty stack. */
static inline long gh_start_thread(uint64_t flags, void* stack_end, uint64_t thread_pointer,
                                   void (*run)(void)) {
  long result;
  register long r10 __asm__("r10") = 0;
  register uint64_t r8 __asm__("r8") = thread_pointer;
  void** const stack = (void**)stack_end - 2;
  stack[0] = (void*)run;
  __asm__ volatile(
      "syscall\n"
      "testq %%rax,%%rax\n"
      "jnz 1f\n"
      "xorl %%ebp,%%ebp\n"
      "popq %%rax\n"
      "addq $8,%%rsp\n"
      "callq *%%rax\n"
      "ud2\n"
      "1:"
      : "=a"(result)
      : "0"((long)SYS_clone), "D"(flags), "S"(stack), "d"(0), "r"(r10), "r"(r8)
      : "rcx", "r11", "memory");
  return result;
}

/* In one instruction. */
static inline void gh_add(uint64_t* counter, uint64_t amount) {
  __asm__ volatile("addq %1,%0" : "+m"(*counter) : "er"(amount) : "cc");
}

static inline void gh_copy(void* to, const void* from, size_t bytes) {
  __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

static inline void gh_clear(void* at, size_t bytes) {
  __asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(0) : "memory");
}

static inline uint64_t gh_pc_of(const ucontext_t* interrupted) {
  return (uint64_t)interrupted->uc_mcontext.gregs[REG_RIP];
}
static inline uint64_t gh_sp_of(const ucontext_t* interrupted) {
  return (uint64_t)interrupted->uc_mcontext.gregs[REG_RSP];
}
static inline uint64_t gh_frame_of(const ucontext_t* interrupted) {
  return (uint64_t)interrupted->uc_mcontext.gregs[REG_RBP];
}
static inline uint64_t gh_link_of(const ucontext_t* interrupted) {
  (void)interrupted;
  return 0;
}
static inline uint64_t gh_code_address(uint64_t return_address) { return return_address; }

__attribute__((visibility("hidden"))) void gh_signal_return(void); /* arc_stubs_x86_64.S */

static inline void gh_add_signal_return(uint64_t* flags, void (**restorer)(void)) {
  enum { SA_RESTORER_OF_KERNEL = 0x04000000 };
  *flags |= SA_RESTORER_OF_KERNEL;
  *restorer = gh_signal_return;
}

#endif
