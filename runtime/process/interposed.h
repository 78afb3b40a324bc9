/* For the runtime's functions that take libc's place in a program, and call the next ones: a
 * sanitizer's that is linked in, or libc's. */
#ifndef GPROFHUB_RUNTIME_PROCESS_INTERPOSED_H_
#define GPROFHUB_RUNTIME_PROCESS_INTERPOSED_H_

#include <dlfcn.h>
#include <errno.h>

#include "runtime/base/syscalls.h"

#define EXPORT __attribute__((visibility("default"), weak))

/* The function is ours by the name that the linker's --wrap gives it, too: a sanitizer's is linked
 * instead otherwise. */
#define WRAPPED(name)                   \
  extern __typeof__(name) __wrap_##name \
      __attribute__((alias(#name), nothrow, leaf, visibility("hidden")))

/* A sanitizer's function, by either of its names; those with three underscores are of LLVM 17 on.
 */
#define OF_SANITIZER(name)                                                              \
  extern __typeof__(name) __interceptor_##name __attribute__((weak));                   \
  extern __typeof__(name) ___interceptor_##name __attribute__((weak));                  \
  static __typeof__(name)* sanitizers_##name(void) {                                    \
    return &__interceptor_##name != 0 ? &__interceptor_##name : &___interceptor_##name; \
  }

/* Weak: a static program has no dlsym. */
extern void* dlsym(void* handle, const char* name) __attribute__((weak));

/* What a function returns whose system call returned `result`. */
static inline int set_errno(long result) {
  if (!GH_FAILED(result)) return (int)result;
  errno = (int)-result;
  return -1;
}

#endif
