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
#include "runtime/waiting/lost_registers.h"

#include "runtime/processor/call_code.h"
#include "runtime/processor/processor.h"
#include "runtime/recording/peek.h"
#include "runtime/waiting/counted_code.h"
#include "runtime/waiting/unwind_rules.h"

enum { WORD = 8, CHUNK = 64 };

/* 1 if `address` is after a call. */
static int is_return(uint64_t address, struct gh_call* call) {
  unsigned char code[GH_LONGEST_CALL];
  return gh_peek(address - sizeof code, code, sizeof code) && gh_call_before(code, address, call);
}

/* Whether `address` is after a call that may have led to the function at `callee`. */
static int returns_from(uint64_t address, uint64_t callee) {
  struct gh_call call;
  if (!is_return(address, &call)) return 0;
  const uint64_t target = gh_target_of(&call);
  return target == 0 || target == callee;
}

int gh_search_frame(struct gh_place* place) {
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
      if (gh_target_of(&call) != callee) continue;
      const uint64_t link = here + i + GH_CALL_BYTES;
      if (keeps_return_at(link, place->sp, at, place)) return link;
    }
  }
  return 0;
}

int gh_search_link(struct gh_place* place) {
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
      const uint64_t caller = gh_target_of(&call);
      if (!caller) continue;
      place->link = call_that_fits(caller, rule.begin, first + (uint64_t)i * WORD, place);
      if (place->link) return 1;
    }
  }
  return 0;
}
