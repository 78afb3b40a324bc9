#include "runtime/waiting/counted_code.h"

#include "runtime/counters/counters.h"
#include "runtime/processor/call_code.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/peek.h"

/* The call of mcount is after the prologue, which saves registers and, for a large frame,
 * touches each page. */
enum { PROLOGUE = 192 };

static uint64_t word_at(uint64_t address) {
  uint64_t word;
  return gh_peek(address, &word, sizeof word) ? word : 0;
}

uint64_t gh_target_of(const struct gh_call* call) {
  if (call->slot) return word_at(call->slot);
  unsigned char code[GH_LONGEST_PLT_ENTRY];
  if (!call->target || !gh_peek(call->target, code, sizeof code)) return call->target;
  const uint64_t slot = gh_slot_of_plt_entry(code, call->target);
  return slot ? word_at(slot) : call->target;
}

static int is_stub(uint64_t address) {
  return address >= (uint64_t)gh_stubs_begin && address < (uint64_t)gh_stubs_end;
}

static int calls_stub(uint64_t begin, uint64_t end) {
  unsigned char code[PROLOGUE];
  const uint64_t bytes = end - begin < sizeof code ? end - begin : sizeof code;
  if (!gh_peek(begin, code, bytes)) return 0;
  for (uint64_t i = 0; i < bytes; ++i) {
    struct gh_call call;
    if (gh_call_at(code + i, bytes - i, begin + i, &call) && is_stub(gh_target_of(&call))) return 1;
  }
  return 0;
}

struct search {
  uint64_t begin, end;
  int found;
};

static void look_at_site(void* to, uint32_t kind, uint64_t self, uint64_t from) {
  (void)from;
  struct search* const search = to;
  if ((kind == GPROFHUB_SITE_ENTRY || kind == GPROFHUB_SITE_FUNCTION) && self >= search->begin &&
      self < search->end) {
    search->found = 1;
  }
}

int gh_is_counted(uint64_t begin, uint64_t end) {
  if (calls_stub(begin, end)) return 1;
  if (!gh_counters_in_use()) return 0;
  struct search search = {begin, end, 0};
  gh_sites_visit(&search, look_at_site);
  return search.found;
}
