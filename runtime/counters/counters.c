/* A thread's counters are all at one displacement from the modules' counters (counter_base.h has
 * the candidates). For all modules, each range is first reserved (MAP_FIXED_NOREPLACE: existing
 * mappings are never replaced), and only then filled from the recording; if a range is taken,
 * the next candidate is tried. */
#include "runtime/counters/counters.h"

#include "runtime/base/complain.h"
#include "runtime/base/signals.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/counters/chunks.h"
#include "runtime/counters/sites.h"
#include "runtime/processor/counter_base.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/file.h"
#include "runtime/recording/marks.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/peek.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/thread_records.h"

enum { MAX_ATTEMPTS = 256, REFUSED = 127 };
static const uint64_t kPage = GPROFHUB_PAGE_BYTES;

struct set {
  struct gh_counter_set in; /* the module */
  int described;            /* described in this process's recording */
  int gone;                 /* unloaded before it was described */
  /* Set when it is described. If it is loaded again at the same addresses, it has the same
   * counters. */
  const struct gprofhub_module* module;
};
static struct set sets[GH_COUNTER_SETS];
static uint32_t sets_used;
static int off;
static int family;             /* of the candidates; those before it have no free ones */
static int only_known_objects; /* no candidate has room for objects that come later */
static uint32_t next_window;
static uint64_t lock; /* guards all the above; taken with signals blocked */

struct gprofhub_chunk* gh_counter_sites[GH_COUNTER_SETS];

static void take_lock(void) {
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) GH_CALL0(sched_yield);
}
static void release_lock(void) { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }

int gh_counters_in_use(void) { return __atomic_load_n(&sets_used, __ATOMIC_ACQUIRE) != 0; }

static int is_readable(const struct set* set) {
  struct gh_image_site first;
  return gh_peek((uint64_t)set->in.sites, &first, sizeof first);
}

static int is_gone(const struct set* set) {
  return set->gone || (set->module && !gh_module_is_loaded(set->module) && !is_readable(set));
}

static uint64_t bytes_of(const struct set* set) {
  return (uint64_t)(set->in.counters_end - set->in.counters);
}

/* A thread's chunk for a set: whole pages, with the head before the counters. */
static uint64_t chunk_low(const struct set* set, uint64_t displacement) {
  const uint64_t words = (uint64_t)set->in.counters + displacement;
  return (words - sizeof(struct gprofhub_chunk)) & ~(kPage - 1);
}
static uint64_t chunk_bytes(const struct set* set, uint64_t displacement) {
  const uint64_t end = (uint64_t)set->in.counters_end + displacement;
  return ((end + kPage - 1) & ~(kPage - 1)) - chunk_low(set, displacement);
}

static int reserve(const struct set* set, uint64_t displacement) {
  if (is_gone(set)) return 1;
  return gh_reserve(chunk_low(set, displacement), chunk_bytes(set, displacement));
}

/* The excluded counts of a chunk, created on demand; NULL: no memory. */
static struct gprofhub_chunk* excluded_from(struct gprofhub_chunk* chunk) {
  struct gprofhub_chunk* excluded = gh_excluded_of(chunk);
  if (excluded) return excluded;
  excluded = gh_allocate(GPROFHUB_EXCLUDED, sizeof *excluded + chunk->capacity * sizeof(uint64_t),
                         chunk->thread);
  if (!excluded) return 0;
  excluded->set = chunk->set;
  excluded->words = sizeof *excluded;
  excluded->capacity = chunk->capacity;
  __atomic_store_n(&chunk->used, (uint64_t)excluded, __ATOMIC_RELEASE);
  return excluded;
}

/* While counting is off, `excluded` contains minus the counts at its start; at its end the
 * counts are added, which leaves those of the period. */
static void exclude(struct gprofhub_chunk* chunk, int from_now_on) {
  if (!from_now_on && !gh_excluded_of(chunk)) return;
  struct gprofhub_chunk* excluded = excluded_from(chunk);
  if (!excluded) return;
  if ((excluded->used != 0) == from_now_on) return;
  const uint64_t* words = gh_counter_words(chunk);
  uint64_t* out = gh_counter_words(excluded);
  for (uint64_t i = 0; i < chunk->capacity; ++i) {
    const uint64_t now = *(const volatile uint64_t*)&words[i];
    out[i] += from_now_on ? -now : now;
  }
  excluded->used = (uint64_t)from_now_on;
}

/* Fills a reserved range. */
static int fill(uint32_t index, uint64_t displacement, uint32_t thread) {
  const struct set* set = &sets[index];
  if (is_gone(set)) return 1;
  void* const low = (void*)chunk_low(set, displacement);
  struct gprofhub_chunk* chunk =
      gh_allocate_at(low, GPROFHUB_COUNTERS, chunk_bytes(set, displacement), thread);
  if (!chunk) return 0;
  chunk->set = index;
  chunk->words = (uint64_t)set->in.counters + displacement - (uint64_t)chunk;
  __atomic_store_n(&chunk->capacity, bytes_of(set) / sizeof(uint64_t), __ATOMIC_RELEASE);
  if (off) exclude(chunk, 1);
  return 1;
}

/* Sites outside the range to record become GPROFHUB_SITE_NONE: their counters in the text
 * continue, but are never read. A block is in or out as a whole. */
static void leave_out_of_range(struct gprofhub_chunk* described, uint64_t count) {
  struct gprofhub_site* sites = (struct gprofhub_site*)(described + 1);
  int in_range = 1;
  for (uint64_t i = 0; i < count; ++i) {
    if (sites[i].kind == GPROFHUB_SITE_INDIRECT) continue; /* identified by its callees */
    if (sites[i].kind <= GPROFHUB_SITE_BLOCK || sites[i].kind == GPROFHUB_SITE_TAIL) {
      in_range = gh_in_range(described->base + (uint64_t)(int64_t)sites[i].self);
    }
    if (!in_range) sites[i].kind = 0;
  }
}

/* The recording must be readable without the image. */
static void describe(uint32_t index) {
  struct set* set = &sets[index];
  if (!is_readable(set)) {
    set->gone = 1;
    return;
  }
  gh_modules_note((uint64_t)set->in.counters);
  set->module = gh_module_find((uint64_t)set->in.counters);
  const uint64_t count = (uint64_t)(set->in.sites_end - set->in.sites);
  struct gprofhub_chunk* chunk =
      gh_allocate(GPROFHUB_SITES, sizeof *chunk + count * sizeof(struct gprofhub_site), 0);
  set->described = 1;
  if (!chunk) return;
  chunk->set = index;
  chunk->base = (uint64_t)set->in.counters;
  struct gprofhub_site* out = (struct gprofhub_site*)(chunk + 1);
  for (uint64_t i = 0; i < count; ++i) {
    out += gh_describe_site(&set->in, &set->in.sites[i], out);
  }
  chunk->used = (uint64_t)(out - (struct gprofhub_site*)(chunk + 1));
  leave_out_of_range(chunk, chunk->used);
  __atomic_store_n(&chunk->capacity, chunk->used, __ATOMIC_RELEASE);
  __atomic_store_n(&gh_counter_sites[index], chunk, __ATOMIC_RELEASE);
}

/* Whether objects that are loaded later will have room for their counters, too. */
static int has_room_for_others(uint64_t displacement) {
  const uint64_t at = gh_shared_objects();
  if (only_known_objects || at == 0) return 1;
  const uint64_t page = (at + displacement) & ~(kPage - 1);
  if (!gh_reserve(page, kPage)) return 0;
  GH_CALL2(munmap, page, kPage);
  return 1;
}

static int reserve_at(uint64_t displacement) {
  if (!has_room_for_others(displacement)) return 0;
  uint32_t done = 0;
  while (done < sets_used && reserve(&sets[done], displacement)) ++done;
  if (done == sets_used) return 1;
  while (done-- > 0) {
    if (!is_gone(&sets[done]))
      GH_CALL2(munmap, chunk_low(&sets[done], displacement),
               chunk_bytes(&sets[done], displacement));
  }
  return 0;
}

/* A displacement at which all sets are reserved; 0 if none is free. */
static uint64_t reserve_all(void) {
  for (;;) {
    for (; family < GH_COUNTER_FAMILIES; ++family, next_window = 0) {
      for (int attempt = 0; attempt < MAX_ATTEMPTS; ++attempt) {
        const uint64_t displacement =
            gh_counter_displacement(family, next_window++, (uint64_t)sets[0].in.counters);
        if (displacement == 0) break;
        if (reserve_at(displacement)) return displacement;
      }
    }
    if (only_known_objects) return 0;
    only_known_objects = 1;
    family = 0;
  }
}

/* Maps all sets for the thread; returns its displacement, or 0. */
static uint64_t place(uint32_t thread) {
  const uint64_t displacement = reserve_all();
  for (uint32_t i = 0; displacement && i < sets_used; ++i) {
    if (!fill(i, displacement, thread)) return 0;
  }
  return displacement;
}

static void refuse(const char* why) {
  char line[256];
  struct gh_text text = gh_text_in(line, sizeof line);
  gh_put(&text, why);
  gh_put(&text,
         "; link the program position-independent (-pie), or use --config=gprof_mcount; exiting");
  gh_complain(GH_RECORDING, "a module's call counters cannot be used", line);
  GH_CALL1(exit_group, REFUSED);
}

/* A thread without counters of its own uses those of another: counts may be lost while both run,
 * as with the bare clone. */
static uint64_t shared_displacement(void) {
  for (uint32_t i = 0; i < gh_thread_count(); ++i) {
    const struct gprofhub_thread* thread = gh_thread_at(i);
    if (thread && thread->displacement) return thread->displacement;
  }
  return 0;
}

void gh_counters_begin(struct gprofhub_thread* thread) {
  if (!gh_counters_in_use()) return;
  take_lock();
  for (uint32_t i = 0; i < sets_used; ++i) {
    if (!sets[i].described && !sets[i].gone) describe(i);
  }
  uint64_t displacement = thread->displacement;
  if (displacement == 0) {
    displacement = thread->displacement = place(gh_thread_index(thread));
  }
  if (displacement == 0) {
    displacement = shared_displacement();
    if (displacement == 0) refuse("there is no address space for them");
    gh_lose(GPROFHUB_UNRECORDED_CHUNKS, 1);
    gh_complain(GH_THREADS, "calls of threads may be lost",
                "there is no memory for a thread's counters, so it uses another thread's");
  }
  if (!gh_set_counter_base(displacement)) {
    gh_lose(GPROFHUB_UNRECORDED_CHUNKS, 1);
    gh_complain(GH_RECORDING, "calls are lost", "the kernel does not let programs set the gs base");
  }
  release_lock();
}

/* Maps the set for all threads that have counters, but not of this set. */
static int add_to_threads(uint32_t index) {
  static uint8_t has_it[GPROFHUB_DIRECTORY_CHUNKS * GPROFHUB_DIRECTORY_ENTRIES]; /* by thread */
  gh_clear(has_it, sizeof has_it);
  for (struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE); chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (chunk->kind == GPROFHUB_COUNTERS && chunk->set == index) has_it[chunk->thread] = 1;
  }
  for (uint32_t i = 0; i < gh_thread_count(); ++i) {
    const struct gprofhub_thread* thread = gh_thread_at(i);
    if (!thread || thread->displacement == 0 || has_it[i]) continue;
    if (!reserve(&sets[index], thread->displacement) || !fill(index, thread->displacement, i)) {
      return 0;
    }
  }
  return 1;
}

/* The set of the same module, loaded at the same addresses before; sets_used: none. */
static uint32_t former_set(const struct gh_counter_set* in) {
  uint32_t index = 0;
  while (index < sets_used && !(sets[index].in.counters == in->counters && sets[index].module &&
                                sets[index].module == gh_module_find((uint64_t)in->counters))) {
    ++index;
  }
  return index;
}

void gh_counters_add(const struct gh_counter_set* module) {
  struct gh_signals signals = gh_block_signals();
  take_lock();
  if (sets_used) gh_modules_note((uint64_t)module->counters);
  const uint32_t index = former_set(module);
  if (index == GH_COUNTER_SETS) refuse("there are too many modules");
  if (index == sets_used) gh_clear(&sets[index], sizeof sets[index]);
  sets[index].in = *module;
  if (!add_to_threads(index)) refuse("their addresses are in use");
  if (index == sets_used) __atomic_store_n(&sets_used, index + 1, __ATOMIC_RELEASE);
  release_lock();
  gh_restore_signals(signals);
}

void gh_counters_switch(int on) {
  struct gh_signals signals = gh_block_signals();
  take_lock();
  off = !on;
  for (struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE); chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (chunk->kind == GPROFHUB_COUNTERS) exclude(chunk, off);
  }
  release_lock();
  gh_restore_signals(signals);
}

void gh_counters_reset(void) {
  struct gh_signals signals = gh_block_signals();
  take_lock();
  for (struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE); chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (chunk->kind != GPROFHUB_COUNTERS || chunk->capacity == 0) continue;
    struct gprofhub_chunk* excluded = excluded_from(chunk);
    if (!excluded) continue;
    const uint64_t* words = gh_counter_words(chunk);
    uint64_t* out = gh_counter_words(excluded);
    for (uint64_t i = 0; i < chunk->capacity; ++i) {
      out[i] = excluded->used ? 0 : *(const volatile uint64_t*)&words[i];
    }
  }
  release_lock();
  gh_restore_signals(signals);
}

void gh_counters_mark(uint32_t place) {
  struct gh_signals signals = gh_block_signals();
  take_lock();
  for (struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE); chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (chunk->kind != GPROFHUB_COUNTERS || chunk->capacity == 0 || !chunk->entry) continue;
    uint64_t* const words = gh_mark_words(chunk, chunk->capacity, place);
    if (!words) continue;
    struct gprofhub_chunk* excluded = gh_excluded_of(chunk);
    for (uint64_t i = 0; i < chunk->capacity; ++i) {
      words[i] = gh_counted_at(chunk, excluded, i);
    }
  }
  release_lock();
  gh_restore_signals(signals);
}

void gh_counters_limit(void) {
  struct gh_signals signals = gh_block_signals();
  take_lock();
  for (struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE); chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (chunk->kind == GPROFHUB_SITES) leave_out_of_range(chunk, chunk->capacity);
  }
  release_lock();
  gh_restore_signals(signals);
}

void gh_counters_after_fork(void) {
  if (!gh_counters_in_use()) return;
  gh_set_counter_base(0);
  for (uint32_t i = 0; i < sets_used; ++i) {
    sets[i].gone = is_gone(&sets[i]);
    sets[i].module = 0;
    sets[i].described = 0;
    gh_counter_sites[i] = 0;
  }
  family = 0;
  next_window = 0;
  release_lock(); /* its holder is not in this process */
}
