/* A thread usually waits in libc, some frames away from counted code. Frames are unwound as for
 * exceptions, by .eh_frame (unwind_rules.h). So they need no frame pointers, and stray words on
 * the stack are never taken for return addresses. Exception: registers that the kernel does not
 * report for a blocked thread (lost_registers.h).
 *
 * A thread waits at the same few places again and again. So the result for each instruction is
 * cached: one word, stored together with a checksum key, so that a torn pair is detected. */
#include "runtime/waiting/callers.h"

#include "runtime/processor/processor.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/peek.h"
#include "runtime/waiting/counted_code.h"
#include "runtime/waiting/lost_registers.h"
#include "runtime/waiting/unwind_rules.h"

enum {
  MOST_FRAMES = 64,
  PLACES = 2048, /* a power of two */
  WORD = 8
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

static uint64_t find_answer(uint64_t pc) {
  struct gh_unwind_rule rule;
  gh_modules_note(pc); /* it may have been loaded meanwhile */
  if (!gh_find_unwind_rule(pc, &rule)) return KNOWN;
  return gh_is_counted(rule.begin, rule.end) ? KNOWN | COUNTED : pack(&rule);
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

/* Steps from a frame to its caller's. */
static int step(struct gh_place* place, uint64_t answer) {
  if (!(answer & UNWINDS)) return 0;
  const int from_frame = (answer & FROM_FRAME) != 0;
  const int in_register = (answer & IN_REGISTER) != 0;
  if (from_frame && !place->knows_frame && !gh_search_frame(place)) return 0;
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
    if (!place->link && !gh_search_link(place)) return 0;
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
