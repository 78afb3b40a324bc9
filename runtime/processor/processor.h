/* Processor-specific code: system calls, increments of counters, registers at a signal. The
 * runtime depends on the processor in this package only. A port adds a header like x86_64.h,
 * counting stubs (arc_stubs_*.S) and a counter base (counter_base.h); docs/runtime.md,
 * "Processors", lists the features of each.
 *
 * Each header defines, functions as static inline:
 *
 *   GH_CALL_BYTES
 *       Length of a direct call in bytes.
 *   GH_LIBRARY_THUNK_BYTES
 *       Length of a thunk in bytes (library_thunks.h).
 *   GH_TLS_ABOVE
 *       1: thread-local variables are above the thread pointer; 0: below.
 *   GH_CFI_STACK, GH_CFI_FRAME, GH_CFI_RETURN
 *       Numbers of the stack pointer, the frame pointer and the return address in .eh_frame.
 *   long gh_syscall(long number, long a, long b, long c, long d, long e, long f)
 *       A system call without libc. Results from -4095 to -1 are -errno.
 *   uint64_t gh_thread_pointer(void)
 *       Base address of the calling thread's thread-local variables.
 *   void gh_set_up_thread_pointer(uint64_t pointer)
 *       Initialises the memory at the thread pointer.
 *   long gh_start_thread(uint64_t flags, void* stack_end, uint64_t thread_pointer,
 *                        void (*run)(void))
 *       Starts a thread without libc, by clone(flags), in a function that never returns. The
 *       stack's end is a multiple of 16. Returns the thread's id, or -errno.
 *   void gh_add(uint64_t* counter, uint64_t amount)
 *       Adds to a counter of the calling thread. Exact even if a signal handler in between adds
 *       to the same counter.
 *   void gh_copy(void* to, const void* from, size_t bytes)
 *   void gh_clear(void* at, size_t bytes)
 *       Without vector registers, and without a call of libc's memcpy or memset. Of
 *       overlapping ranges, `to` may lie before `from`.
 *   uint64_t gh_pc_of(const ucontext_t*), gh_sp_of(...), gh_frame_of(...)
 *       Program counter, stack pointer and frame pointer of the interrupted code. At the frame
 *       pointer are the caller's frame pointer and the return address.
 *   uint64_t gh_link_of(const ucontext_t*)
 *       The link register, in which calls store the return address; 0: they store it on the stack.
 *   uint64_t gh_code_address(uint64_t return_address)
 *       A return address from a stack, without its pointer authentication code.
 *   void gh_add_signal_return(uint64_t* flags, void (**restorer)(void))
 *       Completes a sigaction of the kernel's. */
#ifndef GPROFHUB_RUNTIME_PROCESSOR_PROCESSOR_H_
#define GPROFHUB_RUNTIME_PROCESSOR_PROCESSOR_H_

#if defined(__x86_64__)
#include "runtime/processor/x86_64.h"
#elif defined(__aarch64__)
#include "runtime/processor/aarch64.h"
#else
#error "the runtime knows x86-64 and aarch64; see docs/runtime.md, Processors"
#endif

#endif
