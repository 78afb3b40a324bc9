/* A thread usually waits in libc, some frames away from counted code. Frames are unwound as for
 * exceptions, by .eh_frame (unwind_rules.h). So they need no frame pointers, and stray words on
 * the stack are never taken for return addresses. Exception: registers that the kernel does not
 * report for a blocked thread (search_frame).
 *
 * A thread waits at the same few places again and again. So the result for each instruction is
 * cached: one word, stored together with a checksum key, so that a torn pair is detected. */
#include "runtime/waiting/callers.h"

#include "runtime/counters/counters.h"
#include "runtime/processor/call_code.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/peek.h"
#include "runtime/waiting/unwind_rules.h"

enum {
  MOST_FRAMES = 64,
  PLACES = 2048, /* a power of two */
  WORD = 8,
  CHUNK = 64
};

/* A result, in one word. */
enum {
  KNOWN = 1,        /* valid */
  UNWINDS = 2,      /* has a rule */
  COUNTED = 4,      /* the function is counted: no rule is needed */
  FROM_FRAME = 8,   /* from gh_unwind_rule, as are the others */
  FRAME_SHIFT = 4,  /* two bits */
  IN_REGISTER = 64, /* from gh_unwind_rule */
  OFFSET_SHIFT = 8, /* in words, 24 bits */
  SAVED_SHIFT = 32, /* words before the frame's end, 16 bits */
  RETURN_SHIFT = 48 /* the same */
};

static struct {
  uint64_t key; /* xor the result */
  uint64_t answer;
} places[PLACES];

static uint64_t pack(const struct gh_unwind_rule* rule) {
  const uint64_t offset = (uint64_t)rule->offset / WORD;
  const uint64_t saved = (uint64_t)-rule->frame_pointer_at / WORD;
  const uint64_t returns = (uint64_t)-rule->return_at / WORD;
  if (rule->offset % WORD != 0 || offset >> 24 || saved >> 16 || returns >> 16) return KNOWN;
  return KNOWN | UNWINDS | (rule->from_frame ? FROM_FRAME : 0) |
         (rule->in_register ? IN_REGISTER : 0) | (uint64_t)rule->frame_pointer << FRAME_SHIFT |
         offset << OFFSET_SHIFT | saved << SAVED_SHIFT | returns << RETURN_SHIFT;
}

/* The call of mcount is after the prologue, which saves registers and, for a large frame,
 * touches each page. */
enum { PROLOGUE = 192 };

static uint64_t word_at(uint64_t address) {
  uint64_t word;
  return gh_peek(address, &word, sizeof word) ? word : 0;
}

/* Target of a call, if necessary through a procedure linkage table; 0: unknown. */
static uint64_t target_of(const struct gh_call* call) {
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
    if (gh_call_at(code + i, bytes - i, begin + i, &call) && is_stub(target_of(&call))) return 1;
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

/* Whether the function at [begin, end) begins with a call of the counting stubs, or has counters in
 * its text. Slow; the answer never changes. Async-signal-safe. */
static int is_counted(uint64_t begin, uint64_t end) {
  if (calls_stub(begin, end)) return 1;
  if (!gh_counters_in_use()) return 0;
  struct search search = {begin, end, 0};
  gh_sites_visit(&search, look_at_site);
  return search.found;
}

static uint64_t find_answer(uint64_t pc) {
  struct gh_unwind_rule rule;
  gh_modules_note(pc); /* it may have been loaded meanwhile */
  if (!gh_find_unwind_rule(pc, &rule)) return KNOWN;
  return is_counted(rule.begin, rule.end) ? KNOWN | COUNTED : pack(&rule);
}

static uint64_t answer_at(uint64_t pc) {
  const uint64_t home = (pc ^ pc >> 11) & (PLACES - 1);
  const uint64_t key = __atomic_load_n(&places[home].key, __ATOMIC_RELAXED);
  uint64_t answer = __atomic_load_n(&places[home].answer, __ATOMIC_RELAXED);
  if (answer && (key ^ answer) == pc) return answer;
  answer = find_answer(pc);
  __atomic_store_n(&places[home].answer, answer, __ATOMIC_RELAXED);
  __atomic_store_n(&places[home].key, pc ^ answer, __ATOMIC_RELAXED);
  return answer;
}

static uint64_t bits(uint64_t answer, int shift, int count) {
  return answer >> shift & ((UINT64_C(1) << count) - 1);
}

/* For a blocked thread the kernel reports only the program counter and the stack pointer. They
 * suffice for most code of libc.
 *
 * Code with frame pointers that is not counted, such as a library's within the program, needs
 * the frame pointer. It is the first word from the stack pointer on whose target is a frame
 * pointer further out followed by the return address of a call of this very function, or of a
 * call through a pointer.
 *
 * On aarch64 a leaf function keeps its return address in a register. libc's short system calls
 * and the wait for a mutex do so. But the return address of its caller is on the stack, and the
 * call before it identifies the caller. If this caller contains a call of the leaf function, and
 * would have its return address exactly there at this call, it is the right one. A caller that
 * was called through a pointer is not found, because its call does not identify it. */

/* 1 if `address` is after a call. */
static int is_return(uint64_t address, struct gh_call* call) {
  unsigned char code[GH_LONGEST_CALL];
  return gh_peek(address - sizeof code, code, sizeof code) && gh_call_before(code, address, call);
}

/* Whether `address` is after a call that may have led to the function at `callee`. */
static int returns_from(uint64_t address, uint64_t callee) {
  struct gh_call call;
  if (!is_return(address, &call)) return 0;
  const uint64_t target = target_of(&call);
  return target == 0 || target == callee;
}

/* Stores the frame pointer of the function that the place is in. 0: not found. This function and
 * search_link are async-signal-safe. */
static int search_frame(struct gh_place* place) {
  enum { CHUNKS = 16, LARGEST_FRAME = 1 << 20 };
  struct gh_unwind_rule rule;
  if (!gh_find_unwind_rule(place->pc - !place->is_next, &rule)) return 0;
  uint64_t words[CHUNK];
  uint64_t at = place->sp;
  for (int chunk = 0; chunk < CHUNKS; ++chunk) {
    if (!gh_peek(at, words, sizeof words)) return 0;
    for (int i = 0; i + 1 < CHUNK; ++i) {
      const uint64_t here = at + (uint64_t)i * WORD;
      if (words[i] <= here || words[i] - here > LARGEST_FRAME) continue;
      if (!returns_from(gh_code_address(words[i + 1]), rule.begin)) continue;
      place->frame = here;
      place->knows_frame = 1;
      return 1;
    }
    at += sizeof words - WORD; /* the last word may belong to the next one */
  }
  return 0;
}

/* Whether a function that has called at `link` and has the stack pointer `sp` keeps its own
 * return address at `at`. If its frame pointer locates that, stores the frame pointer. */
static int keeps_return_at(uint64_t link, uint64_t sp, uint64_t at, struct gh_place* place) {
  struct gh_unwind_rule rule;
  if (!gh_find_unwind_rule(link - 1, &rule) || rule.in_register) return 0;
  if (!rule.from_frame) return sp + (uint64_t)(rule.offset + rule.return_at) == at;
  const uint64_t frame = at - (uint64_t)(rule.offset + rule.return_at);
  uint64_t outer;
  if (place->knows_frame && place->frame != frame) return 0;
  if (frame < sp || rule.frame_pointer != GH_FRAME_SAVED ||
      !gh_peek(frame + (uint64_t)(rule.offset + rule.frame_pointer_at), &outer, sizeof outer) ||
      outer <= frame) {
    return 0;
  }
  place->frame = frame;
  place->knows_frame = 1;
  return 1;
}

/* The same for a function that begins at `begin` and calls the one at `callee` somewhere. */
static uint64_t call_that_fits(uint64_t begin, uint64_t callee, uint64_t at,
                               struct gh_place* place) {
  enum { LONGEST = 65536 };
  struct gh_unwind_rule rule;
  if (!gh_find_unwind_rule(begin, &rule)) return 0;
  const uint64_t end = rule.end - rule.begin < LONGEST ? rule.end : rule.begin + LONGEST;
  unsigned char code[CHUNK * WORD];
  for (uint64_t here = rule.begin; here < end; here += sizeof code) {
    const uint64_t bytes = end - here < sizeof code ? end - here : sizeof code;
    if (!gh_peek(here, code, bytes)) return 0;
    for (uint64_t i = 0; i < bytes; ++i) {
      struct gh_call call;
      if (!gh_call_at(code + i, bytes - i, here + i, &call) || !call.target) continue;
      if (target_of(&call) != callee) continue;
      const uint64_t link = here + i + GH_CALL_BYTES;
      if (keeps_return_at(link, place->sp, at, place)) return link;
    }
  }
  return 0;
}

/* Stores the return address of that function, which it has in a register: the place's sp is its
 * caller's. 0: not found. */
static int search_link(struct gh_place* place) {
  enum { CHUNKS = 4 };
  struct gh_unwind_rule rule;
  if (!gh_find_unwind_rule(place->pc - !place->is_next, &rule)) return 0;
  uint64_t words[CHUNK];
  for (int chunk = 0; chunk < CHUNKS; ++chunk) {
    const uint64_t first = place->sp + (uint64_t)chunk * sizeof words;
    if (!gh_peek(first, words, sizeof words)) return 0;
    for (int i = 0; i < CHUNK; ++i) {
      struct gh_call call;
      if (!is_return(gh_code_address(words[i]), &call)) continue;
      const uint64_t caller = target_of(&call);
      if (!caller) continue;
      place->link = call_that_fits(caller, rule.begin, first + (uint64_t)i * WORD, place);
      if (place->link) return 1;
    }
  }
  return 0;
}

/* Steps from a frame to its caller's. */
static int step(struct gh_place* place, uint64_t answer) {
  if (!(answer & UNWINDS)) return 0;
  const int from_frame = (answer & FROM_FRAME) != 0;
  const int in_register = (answer & IN_REGISTER) != 0;
  if (from_frame && !place->knows_frame && !search_frame(place)) return 0;
  const uint64_t end =
      (from_frame ? place->frame : place->sp) + bits(answer, OFFSET_SHIFT, 24) * WORD;
  if (end < place->sp || (end == place->sp && !in_register)) return 0;
  uint64_t word;
  switch ((enum gh_frame_pointer)bits(answer, FRAME_SHIFT, 2)) {
    case GH_FRAME_SAVED:
      if (!gh_peek(end - bits(answer, SAVED_SHIFT, 16) * WORD, &word, sizeof word)) return 0;
      place->frame = word;
      place->knows_frame = 1;
      break;
    case GH_FRAME_LOST:
      place->knows_frame = 0;
      break;
    default:
      break;
  }
  if (in_register) {
    place->sp = end;
    if (!place->link && !search_link(place)) return 0;
    word = place->link;
  } else if (!gh_peek(end - bits(answer, RETURN_SHIFT, 16) * WORD, &word, sizeof word)) {
    return 0;
  }
  place->pc = gh_code_address(word);
  place->sp = end;
  place->link = 0;
  place->is_next = 0;
  return 1;
}

uint64_t gh_find_caller(struct gh_place place) {
  for (int i = 0; i < MOST_FRAMES && place.pc != 0; ++i) {
    const uint64_t answer = answer_at(place.pc - !place.is_next);
    /* The call is before the return address: look up the preceding byte. */
    if (answer & COUNTED) return place.pc + (uint64_t)place.is_next;
    if (!step(&place, answer)) return 0;
  }
  return 0;
}
