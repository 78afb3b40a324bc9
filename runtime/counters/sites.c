#include "runtime/counters/sites.h"

#include "runtime/counters/chunks.h"
#include "runtime/processor/call_code.h"
#include "runtime/processor/counter_base.h"
#include "runtime/recording/peek.h"

/* Entries of procedure linkage tables whose functions were not known when sites were described:
 * their addresses, as ranges with small gaps. Each module has one such table. */
enum { RANGES = 16 };
static struct range { uint64_t low, high; } unbound[RANGES];

/* Written with counters.c's lock held. */
static void note_unbound(uint64_t entry) {
  static const uint64_t kGap = 1 << 20;
  struct range* range = unbound;
  while (range->high && range != &unbound[RANGES - 1] &&
         (entry + kGap < range->low || entry > range->high + kGap)) {
    ++range;
  }
  if (range->high == 0 || entry < range->low) range->low = entry;
  if (entry > range->high) range->high = entry;
}

static int may_be_unbound(uint64_t callee) {
  for (const struct range* range = unbound; range != &unbound[RANGES] && range->high; ++range) {
    if (callee >= range->low && callee <= range->high) return 1;
  }
  return 0;
}

/* The callee of the call or jump through a slot at `at`; 0: none, or not such an instruction. */
static uint64_t callee_in_slot(const unsigned char* at, uint64_t* from) {
  enum { CALL_BYTES = 6 };
  struct gh_call call;
  uint64_t slot = gh_slot_of_plt_entry(at, (uint64_t)at);
  if (slot == 0 && gh_call_at(at, CALL_BYTES, (uint64_t)at, &call) && call.slot) {
    slot = call.slot;
    *from = (uint64_t)at + CALL_BYTES;
  }
  return slot ? gh_function_at(*(const uint64_t*)slot) : 0;
}

/* True if a slot still leads to the code that binds it, which begins by pushing a number. */
static int is_unbound(uint64_t function) {
  enum { PUSH = 0x68 };
  static const unsigned char kEndbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  const unsigned char* at = (const unsigned char*)function;
  for (uint64_t i = 0; i < sizeof kEndbr64; ++i) {
    if (at[i] != kEndbr64[i]) return at[0] == PUSH;
  }
  return at[sizeof kEndbr64] == PUSH;
}

static int is_near(uint64_t address, uint64_t base) {
  return address - base + 0x80000000u <= 0xffffffffu;
}

/* The function behind `callee`. While it is not known, or too far away for the recording, the
 * result is `callee`, which is not a function. */
static uint64_t function_behind(uint64_t callee, uint64_t base) {
  const uint64_t function = gh_function_at(callee);
  if (function == callee) return callee;
  if (is_unbound(function)) {
    note_unbound(callee);
    return callee;
  }
  return is_near(function, base) ? function : callee;
}

void gh_sites_bind(void) {
  if (unbound[0].high == 0) return;
  for (struct gprofhub_chunk* chunk = __atomic_load_n(&gh_chunks, __ATOMIC_ACQUIRE); chunk;
       chunk = (struct gprofhub_chunk*)chunk->next) {
    if (chunk->kind != GPROFHUB_SITES) continue;
    struct gprofhub_site* sites = (struct gprofhub_site*)(chunk + 1);
    for (uint64_t i = 0; i < chunk->capacity; ++i) {
      unsigned char code[GH_LONGEST_PLT_ENTRY];
      if (sites[i].kind != GPROFHUB_SITE_CALL && sites[i].kind != GPROFHUB_SITE_TAIL) continue;
      const uint64_t callee = chunk->base + (uint64_t)(int64_t)sites[i].self;
      if (!may_be_unbound(callee) || !gh_peek(callee, code, sizeof code)) continue;
      if (!gh_slot_of_plt_entry(code, callee)) continue;
      sites[i].self = (int32_t)(function_behind(callee, chunk->base) - chunk->base);
    }
  }
}

int gh_describe_site(const struct gh_counter_set* set, const struct gh_image_site* site,
                     struct gprofhub_site* out) {
  const uint64_t base = (uint64_t)set->counters;
  const uint64_t counter = (uint64_t)&site->counter + (uint64_t)(int64_t)site->counter;
  uint64_t from = (uint64_t)&site->site + (uint64_t)(int64_t)site->site;
  const unsigned char* const code = (const unsigned char*)from;
  uint64_t self = 0;
  switch (site->kind) {
    case 0: /* the one that gprofhub_begin defines */
      return 0;
    case GPROFHUB_SITE_CALL:
    case GPROFHUB_SITE_TAIL:
      self = gh_call_target(code, &from);
      if (self == 0) self = callee_in_slot(code, &from);
      if (self == 0 || !is_near(self, base)) return 0;
      self = function_behind(self, base);
      break;
    case GPROFHUB_SITE_INDIRECT:
      self = base;
      break;
    default:
      self = from;
      from = base;
  }
  out->kind = site->kind;
  out->counter = site->kind == GPROFHUB_SITE_FUNCTION || site->kind == GPROFHUB_SITE_BLOCK_ALSO
                     ? 0
                     : (uint32_t)((counter - base) / sizeof(uint64_t));
  out->self = (int32_t)(self - base);
  out->from = (int32_t)(from - base);
  return 1;
}
