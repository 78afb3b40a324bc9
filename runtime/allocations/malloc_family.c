/* The C library's functions that allocate, in its place: a program's own malloc is taken by
 * all of its shared objects, the C library included. They count, and hand on to what glibc
 * calls its own by other names. free and what only looks at memory stay glibc's.
 *
 * Bytes are counted as they are asked for. So the counts of a program that repeats its work are
 * the same each time, whatever the allocator rounds up to. */
#include <errno.h>

#include "runtime/allocations/allocations.h"
#include "runtime/gprofhub.h"

void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void* __libc_valloc(size_t bytes);
void* __libc_pvalloc(size_t bytes);

EXPORT void* malloc(size_t bytes);
EXPORT void* calloc(size_t count, size_t size);
EXPORT void* realloc(void* memory, size_t bytes);
EXPORT void* reallocarray(void* memory, size_t count, size_t size);
EXPORT void* aligned_alloc(size_t alignment, size_t bytes);
EXPORT void* memalign(size_t alignment, size_t bytes);
EXPORT int posix_memalign(void** memory, size_t alignment, size_t bytes);
EXPORT void* valloc(size_t bytes);
EXPORT void* pvalloc(size_t bytes);

GPROFHUB_QUANTITY(gprofhub_allocated_bytes)

void* malloc(size_t bytes) { return GIVE(malloc, __libc_malloc(bytes), bytes); }

/* The same, whatever `malloc` is in the program; by a name that no list of symbols has. */
static __typeof(malloc) own_malloc __asm__(".Lown_malloc") __attribute__((alias("malloc")));

void* gh_take(size_t bytes, size_t alignment) {
  if (malloc != own_malloc) return alignment ? aligned_alloc(alignment, bytes) : malloc(bytes);
  return alignment ? __libc_memalign(alignment, bytes) : __libc_malloc(bytes);
}

void* calloc(size_t count, size_t size) {
  return GIVE(calloc, __libc_calloc(count, size), count * size);
}

void* realloc(void* memory, size_t bytes) {
  return GIVE(realloc, __libc_realloc(memory, bytes), bytes);
}

void* reallocarray(void* memory, size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return 0;
  }
  return GIVE(reallocarray, __libc_realloc(memory, bytes), bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) {
  return GIVE(aligned_alloc, __libc_memalign(alignment, bytes), bytes);
}

void* memalign(size_t alignment, size_t bytes) {
  return GIVE(memalign, __libc_memalign(alignment, bytes), bytes);
}

int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  if (alignment == 0 || alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0) {
    return EINVAL;
  }
  const int before = errno;
  void* const given = GIVE(posix_memalign, __libc_memalign(alignment, bytes), bytes);
  errno = before; /* it is not to be touched */
  if (!given) return ENOMEM;
  *memory = given;
  return 0;
}

void* valloc(size_t bytes) { return GIVE(valloc, __libc_valloc(bytes), bytes); }

void* pvalloc(size_t bytes) { return GIVE(pvalloc, __libc_pvalloc(bytes), bytes); }
