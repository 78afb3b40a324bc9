/* x86-64; processor.h has the contracts. Sources: the System V ABI's AMD64 supplement,
 * syscall(2), signal.h of the kernel. */
#ifndef GPROFHUB_RUNTIME_PROCESSOR_X86_64_H_
#define GPROFHUB_RUNTIME_PROCESSOR_X86_64_H_

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

enum { GH_CALL_BYTES = 5, GH_LIBRARY_THUNK_BYTES = 96 };

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
static inline uint64_t gh_code_address(uint64_t return_address) { return return_address; }

__attribute__((visibility("hidden"))) void gh_signal_return(void); /* arc_stubs_x86_64.S */

static inline void gh_add_signal_return(uint64_t* flags, void (**restorer)(void)) {
  enum { SA_RESTORER_OF_KERNEL = 0x04000000 };
  *flags |= SA_RESTORER_OF_KERNEL;
  *restorer = gh_signal_return;
}

#endif
