/* Replaces all forms of the C++ library's operator new, under the names of the C++ ABI (Itanium
 * C++ ABI, 5.1.4). Otherwise every allocation of C++ code would be attributed to libstdc++'s
 * operator new. Written in C, so that C programs can be linked with it.
 *
 * libstdc++'s operator delete calls free. So the memory comes from libc if malloc is this
 * runtime's, otherwise from the program's own malloc. */
#include <dlfcn.h>
#include <stdint.h>

#include "runtime/allocations/allocations.h"

void abort(void) __attribute__((noreturn));

typedef void (*new_handler)(void);
/* std::get_new_handler and std::__throw_bad_alloc, which a C program lacks. */
__attribute__((weak)) new_handler _ZSt15get_new_handlerv(void);
__attribute__((weak)) void _ZSt17__throw_bad_allocv(void);

EXPORT void* _Znwm(size_t bytes);
EXPORT void* _Znam(size_t bytes);
EXPORT void* _ZnwmRKSt9nothrow_t(size_t bytes, const void* tag);
EXPORT void* _ZnamRKSt9nothrow_t(size_t bytes, const void* tag);
EXPORT void* _ZnwmSt11align_val_t(size_t bytes, size_t alignment);
EXPORT void* _ZnamSt11align_val_t(size_t bytes, size_t alignment);
EXPORT void* _ZnwmSt11align_val_tRKSt9nothrow_t(size_t bytes, size_t alignment, const void* tag);
EXPORT void* _ZnamSt11align_val_tRKSt9nothrow_t(size_t bytes, size_t alignment, const void* tag);

enum { PLAIN = 0 };

#define GIVE_NEW(self, memory, bytes) give((uint64_t) & (self), FROM, memory, bytes)

static inline void* give(uint64_t self, uint64_t from, void* memory, uint64_t bytes) {
  gh_count_allocation(self, from, memory, bytes);
  if (gh_takes_blocks()) gh_hold(memory, from);
  return memory;
}

static void* get(size_t bytes, size_t alignment) {
  return gh_take(bytes == 0 ? 1 : bytes, alignment); /* each has a distinct address */
}

/* [new.delete.single]: the handler may free memory, and is called until it is null. */
static void* get_or_throw(size_t bytes, size_t alignment) {
  for (;;) {
    void* const memory = get(bytes, alignment);
    if (__builtin_expect(memory != 0, 1)) return memory;
    const new_handler handler = _ZSt15get_new_handlerv ? _ZSt15get_new_handlerv() : 0;
    if (handler) {
      handler();
      continue;
    }
    if (_ZSt17__throw_bad_allocv) _ZSt17__throw_bad_allocv();
    abort();
  }
}

void* _Znwm(size_t bytes) { return GIVE_NEW(_Znwm, get_or_throw(bytes, PLAIN), bytes); }

void* _Znam(size_t bytes) { return GIVE_NEW(_Znam, get_or_throw(bytes, PLAIN), bytes); }

void* _ZnwmSt11align_val_t(size_t bytes, size_t alignment) {
  return GIVE_NEW(_ZnwmSt11align_val_t, get_or_throw(bytes, alignment), bytes);
}

void* _ZnamSt11align_val_t(size_t bytes, size_t alignment) {
  return GIVE_NEW(_ZnamSt11align_val_t, get_or_throw(bytes, alignment), bytes);
}

/* An exception of a handler must be caught here, which requires C++: when memory is exhausted,
 * the C++ library's own function takes over, and calls the ones above. */
static void* ask_library(const char* name, size_t bytes, const void* tag) {
  void* (*library)(size_t, const void*) = (void* (*)(size_t, const void*))dlsym(RTLD_NEXT, name);
  return library ? library(bytes, tag) : 0;
}

static void* ask_library_aligned(const char* name, size_t bytes, size_t alignment,
                                 const void* tag) {
  void* (*library)(size_t, size_t, const void*) =
      (void* (*)(size_t, size_t, const void*))dlsym(RTLD_NEXT, name);
  return library ? library(bytes, alignment, tag) : 0;
}

void* _ZnwmRKSt9nothrow_t(size_t bytes, const void* tag) {
  void* const memory = GIVE_NEW(_ZnwmRKSt9nothrow_t, get(bytes, PLAIN), bytes);
  return memory ? memory : ask_library("_ZnwmRKSt9nothrow_t", bytes, tag);
}

void* _ZnamRKSt9nothrow_t(size_t bytes, const void* tag) {
  void* const memory = GIVE_NEW(_ZnamRKSt9nothrow_t, get(bytes, PLAIN), bytes);
  return memory ? memory : ask_library("_ZnamRKSt9nothrow_t", bytes, tag);
}

void* _ZnwmSt11align_val_tRKSt9nothrow_t(size_t bytes, size_t alignment, const void* tag) {
  void* const memory = GIVE_NEW(_ZnwmSt11align_val_tRKSt9nothrow_t, get(bytes, alignment), bytes);
  return memory ? memory
                : ask_library_aligned("_ZnwmSt11align_val_tRKSt9nothrow_t", bytes, alignment, tag);
}

void* _ZnamSt11align_val_tRKSt9nothrow_t(size_t bytes, size_t alignment, const void* tag) {
  void* const memory = GIVE_NEW(_ZnamSt11align_val_tRKSt9nothrow_t, get(bytes, alignment), bytes);
  return memory ? memory
                : ask_library_aligned("_ZnamSt11align_val_tRKSt9nothrow_t", bytes, alignment, tag);
}
