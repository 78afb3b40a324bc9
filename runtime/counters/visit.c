/* Reads the counts of counters in the text. */
#include "runtime/counters/chunks.h"
#include "runtime/counters/counters.h"

void gh_sites_visit(void* to,
                    void (*visit)(void* to, uint32_t kind, uint64_t self, uint64_t from)) {
  for (struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE); chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (chunk->kind != GPROFHUB_SITES) continue;
    const struct gprofhub_site* sites = (const struct gprofhub_site*)(chunk + 1);
    for (uint64_t i = 0; i < chunk->capacity; ++i) {
      visit(to, sites[i].kind, chunk->base + (uint64_t)(int64_t)sites[i].self,
            chunk->base + (uint64_t)(int64_t)sites[i].from);
    }
  }
}

/* For a block's sites: this one adds to the sum of the preceding ones. */
static int continues(uint32_t kind) {
  return kind == GPROFHUB_SITE_BLOCK_PLUS || kind == GPROFHUB_SITE_BLOCK_MINUS;
}

static void visit_thread(struct gprofhub_chunk* chunk, const struct gprofhub_chunk* described,
                         void* to, void (*visit)(void*, uint32_t, uint64_t, uint64_t, uint64_t)) {
  const struct gprofhub_site* sites = (const struct gprofhub_site*)(described + 1);
  struct gprofhub_chunk* excluded = gh_excluded_of(chunk);
  int64_t executed = 0; /* by the block that the sites describe */
  for (uint64_t i = 0; i < described->capacity; ++i) {
    const struct gprofhub_site* site = &sites[i];
    const uint64_t self = described->base + (uint64_t)(int64_t)site->self;
    const uint64_t from = described->base + (uint64_t)(int64_t)site->from;
    if (site->kind == GPROFHUB_SITE_INDIRECT || site->kind == GPROFHUB_SITE_TAIL) {
      const int tail = site->kind == GPROFHUB_SITE_TAIL;
      for (uint64_t at = site->counter; at < site->counter + 2 * GPROFHUB_SITE_CALLEES; at += 2) {
        const uint64_t count = gh_counted_at(chunk, excluded, at + 1);
        const uint64_t met = gh_counter_words(chunk)[at];
        if (count) visit(to, site->kind, tail ? self : met, tail ? met : from, count);
      }
    } else if (site->kind >= GPROFHUB_SITE_BLOCK) {
      if (site->kind == GPROFHUB_SITE_BLOCK) executed = 0;
      if (site->kind != GPROFHUB_SITE_BLOCK_ALSO) {
        const int64_t count = (int64_t)gh_counted_at(chunk, excluded, site->counter);
        executed += site->kind == GPROFHUB_SITE_BLOCK_MINUS ? -count : count;
      }
      const int whole = i + 1 == described->capacity || !continues(site[1].kind);
      if (whole && executed > 0) visit(to, GPROFHUB_SITE_BLOCK, self, from, (uint64_t)executed);
    } else if (site->kind == GPROFHUB_SITE_CALL || site->kind == GPROFHUB_SITE_ENTRY) {
      const uint64_t count = gh_counted_at(chunk, excluded, site->counter);
      if (count) visit(to, site->kind, self, from, count);
    }
  }
}

void gh_counters_visit(void* to, void (*visit)(void* to, uint32_t kind, uint64_t self,
                                               uint64_t from, uint64_t count)) {
  for (struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE); chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (chunk->kind != GPROFHUB_COUNTERS || chunk->capacity == 0) continue;
    const struct gprofhub_chunk* described = gh_counter_sites[chunk->set];
    if (described) visit_thread(chunk, described, to, visit);
  }
}
