/* Replaces the C library's allocation functions: all shared objects, including the C library,
 * use the program's malloc. These functions count, and call glibc's own under its other names.
 *
 * The requested bytes are counted. So the counts of a program that repeats its work are the same
 * each time, independent of the allocator's rounding. */
#include <errno.h>

#include "runtime/allocations/allocations.h"
#include "runtime/gprofhub.h"
#include "runtime/processor/machine.h"

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

void* malloc(size_t bytes) { return GIVE(malloc, gh_obtain(bytes), bytes); }

/* The same, independent of the program's `malloc`; under a name that no symbol table exports. */
static __typeof(malloc) own_malloc __asm__(".Lown_malloc") __attribute__((alias("malloc")));

int gh_takes_blocks(void) { return malloc == own_malloc; }

void* gh_take(size_t bytes, size_t alignment) {
  if (!gh_takes_blocks()) return alignment ? aligned_alloc(alignment, bytes) : malloc(bytes);
  return alignment ? gh_obtain_aligned(alignment, bytes) : gh_obtain(bytes);
}

void* calloc(size_t count, size_t size) {
  return GIVE(calloc, gh_obtain_zeroed(count, size), count * size);
}

void* realloc(void* memory, size_t bytes) {
  return gh_resize((uint64_t)&realloc, FROM, memory, bytes);
}

void* reallocarray(void* memory, size_t count, size_t size) {
  size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return 0;
  }
  return gh_resize((uint64_t)&reallocarray, FROM, memory, bytes);
}

void* aligned_alloc(size_t alignment, size_t bytes) {
  return GIVE(aligned_alloc, gh_obtain_aligned(alignment, bytes), bytes);
}

void* memalign(size_t alignment, size_t bytes) {
  return GIVE(memalign, gh_obtain_aligned(alignment, bytes), bytes);
}

int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  if (alignment == 0 || alignment % sizeof(void*) != 0 || (alignment & (alignment - 1)) != 0) {
    return EINVAL;
  }
  const int before = errno;
  void* const given = GIVE(posix_memalign, gh_obtain_aligned(alignment, bytes), bytes);
  errno = before; /* must not change */
  if (!given) return ENOMEM;
  *memory = given;
  return 0;
}

void* valloc(size_t bytes) {
  return GIVE(valloc, gh_obtain_aligned(gh_page_bytes(), bytes), bytes);
}

/* Whole pages, at least one. */
void* pvalloc(size_t bytes) {
  const size_t page = gh_page_bytes();
  const size_t whole = bytes <= PTRDIFF_MAX ? (bytes + page - 1) & ~(page - 1) : bytes;
  return GIVE(pvalloc, gh_obtain_aligned(page, whole ? whole : page), bytes);
}
