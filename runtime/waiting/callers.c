/* A thread waits in libc most often, some frames away from the code that is counted. Frames are
 * followed as exceptions do, by .eh_frame (unwind_rules.h), so it does not matter whether they have
 * frame pointers, and no word that happens to lie on the stack is taken for a return address.
 *
 * But for one case. Of a blocked thread the kernel tells the stack pointer and not the frame
 * pointer. libc's functions do with the former. Code that was built with frame pointers and is not
 * counted, such as a library's within the program, needs the latter. There the frame is searched:
 * the first place from the stack pointer on that has a frame pointer further out and, behind it,
 * the return address of a call of the very function, or of a call through a pointer.
 *
 * A thread waits at the same few places again and again. So what was found out for an instruction
 * is kept: one word, stored beside the key that it was made of, so that a torn pair is no pair. */
#include "runtime/waiting/callers.h"

#include "runtime/processor/call_code.h"
#include "runtime/recording/modules.h"
#include "runtime/recording/peek.h"
#include "runtime/waiting/counted_code.h"
#include "runtime/waiting/unwind_rules.h"

enum {
  MOST_FRAMES = 64,
  PLACES = 2048, /* a power of two */
  WORD = 8
};

/* An answer, in one word. */
enum {
  KNOWN = 1,      /* it is one */
  UNWINDS = 2,    /* there is a rule */
  COUNTED = 4,    /* the function is counted: no rule is needed */
  FROM_FRAME = 8, /* of gh_unwind_rule, as are the others */
  FRAME_SHIFT = 4,
  OFFSET_SHIFT = 8, /* in words, 24 bits */
  SAVED_SHIFT = 32, /* words before the frame's end, 16 bits */
  RETURN_SHIFT = 48 /* the same */
};

static struct {
  uint64_t key; /* xor the answer */
  uint64_t answer;
} places[PLACES];

static uint64_t pack(const struct gh_unwind_rule* rule) {
  const uint64_t offset = (uint64_t)rule->offset / WORD;
  const uint64_t saved = (uint64_t)-rule->frame_pointer_at / WORD;
  const uint64_t returns = (uint64_t)-rule->return_at / WORD;
  if (rule->offset % WORD != 0 || offset >> 24 || saved >> 16 || returns >> 16) return KNOWN;
  return KNOWN | UNWINDS | (rule->from_frame ? FROM_FRAME : 0) |
         (uint64_t)rule->frame_pointer << FRAME_SHIFT | offset << OFFSET_SHIFT |
         saved << SAVED_SHIFT | returns << RETURN_SHIFT;
}

static uint64_t find_answer(uint64_t pc) {
  struct gh_unwind_rule rule;
  gh_modules_note(pc); /* it may have been loaded since */
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

/* Whether `address` is behind a call that may have led to the function at `callee`. */
static int returns_from(uint64_t address, uint64_t callee) {
  unsigned char code[GH_LONGEST_CALL];
  struct gh_call call;
  if (!gh_peek(address - sizeof code, code, sizeof code) || !gh_call_before(code, address, &call)) {
    return 0;
  }
  const uint64_t target = gh_target_of(&call);
  return target == 0 || target == callee;
}

/* The frame pointer of the function that pc is in. */
static int search_frame(struct gh_place* place) {
  enum { CHUNK = 64, CHUNKS = 16, LARGEST_FRAME = 1 << 20 };
  struct gh_unwind_rule rule;
  if (!gh_find_unwind_rule(place->pc - !place->is_next, &rule)) return 0;
  uint64_t words[CHUNK];
  uint64_t at = place->sp;
  for (int chunk = 0; chunk < CHUNKS; ++chunk) {
    if (!gh_peek(at, words, sizeof words)) return 0;
    for (int i = 0; i + 1 < CHUNK; ++i) {
      const uint64_t here = at + (uint64_t)i * WORD;
      if (words[i] <= here || words[i] - here > LARGEST_FRAME) continue;
      if (!returns_from(words[i + 1], rule.begin)) continue;
      place->frame = here;
      place->knows_frame = 1;
      return 1;
    }
    at += sizeof words - WORD; /* the last one may belong to the next */
  }
  return 0;
}

/* From a frame to that of its caller. */
static int step(struct gh_place* place, uint64_t answer) {
  if (!(answer & UNWINDS)) return 0;
  const int from_frame = (answer & FROM_FRAME) != 0;
  if (from_frame && !place->knows_frame && !search_frame(place)) return 0;
  const uint64_t end =
      (from_frame ? place->frame : place->sp) + bits(answer, OFFSET_SHIFT, 24) * WORD;
  if (end <= place->sp) return 0;
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
  if (!gh_peek(end - bits(answer, RETURN_SHIFT, 16) * WORD, &word, sizeof word)) return 0;
  place->pc = word;
  place->sp = end;
  place->is_next = 0;
  return 1;
}

uint64_t gh_find_caller(struct gh_place place) {
  for (int i = 0; i < MOST_FRAMES && place.pc != 0; ++i) {
    const uint64_t answer = answer_at(place.pc - !place.is_next);
    /* A return address stands for the byte before it. */
    if (answer & COUNTED) return place.pc + (uint64_t)place.is_next;
    if (!step(&place, answer)) return 0;
  }
  return 0;
}
