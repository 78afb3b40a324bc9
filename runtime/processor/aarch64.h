/* aarch64; processor.h has the contracts. Sources: the procedure call standard AAPCS64,
 * syscall(2), signal.h of the kernel. */
#ifndef GPROFHUB_RUNTIME_PROCESSOR_AARCH64_H_
#define GPROFHUB_RUNTIME_PROCESSOR_AARCH64_H_

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

enum { GH_CALL_BYTES = 4, GH_LIBRARY_THUNK_BYTES = 16 };
enum { GH_TLS_ABOVE = 1, GH_CFI_STACK = 31, GH_CFI_FRAME = 29, GH_CFI_RETURN = 30 };

static inline long gh_syscall(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc #0"
                   : "+r"(x0)
                   : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                   : "memory");
  return x0;
}

static inline uint64_t gh_thread_pointer(void) { return (uint64_t)__builtin_thread_pointer(); }
static inline void gh_set_up_thread_pointer(uint64_t pointer) { (void)pointer; }

/* The new thread starts with the registers of its creator, except for the stack pointer. */
static inline long gh_start_thread(uint64_t flags, void* stack_end, uint64_t thread_pointer,
                                   void (*run)(void)) {
  register long x8 __asm__("x8") = SYS_clone;
  register long x0 __asm__("x0") = (long)flags;
  register void* x1 __asm__("x1") = stack_end;
  register long x2 __asm__("x2") = 0;
  register uint64_t x3 __asm__("x3") = thread_pointer;
  register long x4 __asm__("x4") = 0;
  register void (*x5)(void) __asm__("x5") = run;
  __asm__ volatile(
      "svc #0\n"
      "cbnz x0, 1f\n"
      "mov x29, xzr\n"
      "mov x30, xzr\n"
      "blr x5\n"
      "brk #1\n"
      "1:"
      : "+r"(x0)
      : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
      : "memory");
  return x0;
}

/* A signal handler in between clears the exclusive monitor, and the loop repeats. So counts are
 * also exact on the first processors of the architecture. */
static inline void gh_add(uint64_t* counter, uint64_t amount) {
  uint64_t sum;
  uint32_t failed;
  __asm__ volatile(
      "1: ldxr %0, %2\n"
      "   add %0, %0, %3\n"
      "   stxr %w1, %0, %2\n"
      "   cbnz %w1, 1b"
      : "=&r"(sum), "=&r"(failed), "+Q"(*counter)
      : "r"(amount));
}

/* The barriers keep the compiler from generating a call of memcpy or memset. */
static inline void gh_copy(void* to, const void* from, size_t bytes) {
  char* out = to;
  const char* in = from;
  for (; bytes > 0; --bytes) {
    *out++ = *in++;
    __asm__ volatile("" : : : "memory");
  }
}

static inline void gh_clear(void* at, size_t bytes) {
  char* out = at;
  for (; bytes > 0; --bytes) {
    *out++ = 0;
    __asm__ volatile("" : : : "memory");
  }
}

static inline uint64_t gh_pc_of(const ucontext_t* interrupted) {
  return interrupted->uc_mcontext.pc;
}
static inline uint64_t gh_sp_of(const ucontext_t* interrupted) {
  return interrupted->uc_mcontext.sp;
}
static inline uint64_t gh_frame_of(const ucontext_t* interrupted) {
  return interrupted->uc_mcontext.regs[29];
}
static inline uint64_t gh_link_of(const ucontext_t* interrupted) {
  return interrupted->uc_mcontext.regs[30];
}

/* Pointer authentication signs return addresses in their upper bits. xpaclri, a no-op on
 * processors without it, strips the signature. */
static inline uint64_t gh_code_address(uint64_t return_address) {
  register uint64_t x30 __asm__("x30") = return_address;
  __asm__ volatile("hint #7" : "+r"(x30));
  return x30;
}

/* The vDSO contains the code that handlers return to. */
static inline void gh_add_signal_return(uint64_t* flags, void (**restorer)(void)) {
  (void)flags;
  *restorer = 0;
}

#endif
