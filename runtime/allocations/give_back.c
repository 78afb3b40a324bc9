/* realloc, free and malloc_usable_size of blocks with a header (blocks.h).
 *
 * A block that is resized belongs to the resizing call from then on. */
#include <dlfcn.h>

#include "runtime/allocations/allocations.h"
#include "runtime/gprofhub.h"

EXPORT void free(void* memory);
EXPORT size_t malloc_usable_size(void* memory);

GPROFHUB_QUANTITY(gprofhub_peak_bytes)

/* The start of libc's block. */
static void* let_go(struct gh_block* block, void* memory) {
  gh_in_use_change(gh_site_of(block), gh_bytes_of(block), 0, 0);
  return (char*)memory - gh_room_of(block);
}

void* gh_resize(uint64_t self, uint64_t from, void* memory, size_t bytes) {
  if (!memory) return gh_give(self, from, gh_obtain(bytes), bytes);
  struct gh_block* block = gh_block_of(memory);
  if (!gh_is_ours(block)) {
    return gh_count_allocation(self, from, __libc_realloc(memory, bytes), bytes);
  }
  if (bytes == 0) { /* frees it, as glibc does */
    __libc_free(let_go(block, memory));
    return 0;
  }
  const uint64_t room = gh_room_of(block);
  struct gprofhub_in_use* const before = gh_site_of(block);
  const uint64_t bytes_before = gh_bytes_of(block);
  const size_t all = gh_with_room(bytes, room);
  void* const given = all ? __libc_realloc((char*)memory - room, all) : 0;
  void* const now = gh_count_allocation(self, from, gh_make_block(given, room, bytes), bytes);
  if (!now) return 0;
  struct gprofhub_in_use* const site = gh_holder(from);
  block = gh_block_of(now);
  gh_set_site(block, site);
  gh_in_use_change(before, bytes_before, site, bytes);
  return now;
}

void free(void* memory) {
  if (!memory) return;
  struct gh_block* const block = gh_block_of(memory);
  __libc_free(gh_is_ours(block) ? let_go(block, memory) : memory);
}

/* The requested size, because a program may write to all of it, and must not overwrite the next
 * block's header. */
size_t malloc_usable_size(void* memory) {
  if (!memory) return 0;
  const struct gh_block* const block = gh_block_of(memory);
  if (gh_is_ours(block)) return gh_bytes_of(block);
  size_t (*const glibcs)(void*) = (size_t(*)(void*))dlsym(RTLD_NEXT, "malloc_usable_size");
  return glibcs ? glibcs(memory) : 0;
}
