/* The program's blocks, allocated by glibc. With GPROFHUB_PEAK each is preceded by 16 bytes with
 * its call site and size, so that free knows what to subtract. Otherwise a block is glibc's.
 *
 * glibc also allocates blocks itself, for callers of its other names. The bytes before such a
 * block are glibc's size field, whose upper bits are 0. This distinguishes the two. */
#ifndef GPROFHUB_RUNTIME_ALLOCATIONS_BLOCKS_H_
#define GPROFHUB_RUNTIME_ALLOCATIONS_BLOCKS_H_

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

void* __libc_malloc(size_t bytes);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t bytes);
void* __libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void* memory);

#ifndef GPROFHUB_PEAK

static inline void* gh_obtain(size_t bytes) { return __libc_malloc(bytes); }
static inline void* gh_obtain_zeroed(size_t count, size_t size) {
  return __libc_calloc(count, size);
}
static inline void* gh_obtain_aligned(size_t alignment, size_t bytes) {
  return __libc_memalign(alignment, bytes);
}
static inline void gh_hold(void* memory, uint64_t from) {
  (void)memory;
  (void)from;
}

#else

#include "runtime/memory/in_use.h"
#include "runtime/recording/counts.h"

/* The quantity of the bytes in use at the peak (runtime/gprofhub.h). Its name appears in
 * reports. */
void gprofhub_peak_bytes(void);

enum { GH_BLOCK_MARK = 0xa7, GH_MARK_SHIFT = 56, GH_ROOM_SHIFT = 48, GH_SITE_BITS = 48 };

/* Precedes a block. */
struct gh_block {
  uint64_t site; /* gprofhub_in_use, and the generation in the upper 16 bits; 0: not counted */
  uint64_t size; /* bytes; the upper bits are the logarithm of the header's room, and the mark */
};

static const uint64_t kLowBits = ((uint64_t)1 << GH_SITE_BITS) - 1;

static inline struct gh_block* gh_block_of(void* memory) { return (struct gh_block*)memory - 1; }

static inline int gh_is_ours(const struct gh_block* block) {
  return block->size >> GH_MARK_SHIFT == GH_BLOCK_MARK;
}

static inline uint64_t gh_bytes_of(const struct gh_block* block) { return block->size & kLowBits; }

static inline uint64_t gh_room_of(const struct gh_block* block) {
  return (uint64_t)1 << ((block->size >> GH_ROOM_SHIFT) & 0xff);
}

/* NULL: not counted, or allocated by a parent of this process. */
static inline struct gprofhub_in_use* gh_site_of(const struct gh_block* block) {
  if (block->site >> GH_SITE_BITS != gh_in_use_generation) return 0;
  return (struct gprofhub_in_use*)(block->site & kLowBits);
}

/* The block `room` bytes (a power of two from 16 on) after the start of libc's block. */
static inline void* gh_make_block(void* given, uint64_t room, size_t bytes) {
  if (!given) return 0;
  void* const memory = (char*)given + room;
  struct gh_block* const block = gh_block_of(memory);
  block->site = 0;
  block->size = (uint64_t)GH_BLOCK_MARK << GH_MARK_SHIFT |
                (uint64_t)__builtin_ctzll(room) << GH_ROOM_SHIFT | bytes;
  return memory;
}

/* `bytes` plus the room; 0 on overflow. */
static inline size_t gh_with_room(size_t bytes, uint64_t room) {
  size_t all;
  if (!__builtin_add_overflow(bytes, room, &all) && all <= PTRDIFF_MAX) return all;
  errno = ENOMEM;
  return 0;
}

static inline void* gh_obtain(size_t bytes) {
  const uint64_t room = sizeof(struct gh_block);
  const size_t all = gh_with_room(bytes, room);
  return all ? gh_make_block(__libc_malloc(all), room, bytes) : 0;
}

static inline void* gh_obtain_zeroed(size_t count, size_t size) {
  const uint64_t room = sizeof(struct gh_block);
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) bytes = SIZE_MAX;
  const size_t all = gh_with_room(bytes, room);
  return all ? gh_make_block(__libc_calloc(1, all), room, bytes) : 0;
}

/* glibc also rounds any alignment up to a power of two. */
static inline void* gh_obtain_aligned(size_t alignment, size_t bytes) {
  uint64_t room = sizeof(struct gh_block);
  while (room < alignment && room <= PTRDIFF_MAX) room *= 2;
  const size_t all = gh_with_room(bytes, room);
  return all ? gh_make_block(__libc_memalign(room, all), room, bytes) : 0;
}

static inline struct gprofhub_in_use* gh_holder(uint64_t from) {
  if (gh_counting_off || gh_counting_apart || !gh_in_range(from)) return 0;
  return gh_in_use_site(from, (uint64_t)&gprofhub_peak_bytes);
}

static inline void gh_set_site(struct gh_block* block, const struct gprofhub_in_use* site) {
  block->site = site ? (uint64_t)gh_in_use_generation << GH_SITE_BITS | (uint64_t)site : 0;
}

/* Marks the block as in use, by the call that returns to `from`. */
static inline void gh_hold(void* memory, uint64_t from) {
  if (!memory) return;
  struct gh_block* const block = gh_block_of(memory);
  struct gprofhub_in_use* const site = gh_holder(from);
  gh_set_site(block, site);
  gh_in_use_change(0, 0, site, gh_bytes_of(block));
}

#endif

#endif
