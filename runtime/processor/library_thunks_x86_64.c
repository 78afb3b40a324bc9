#ifdef __x86_64__

#include "runtime/processor/library_thunks.h"

typedef int32_t __attribute__((aligned(1), may_alias)) unaligned_distance;

struct gh_library_entry gh_library_entries[GH_LIBRARY_THUNKS];

int gh_slot_of(uint32_t relocation_type) {
  if (relocation_type == R_X86_64_JUMP_SLOT) return GH_SLOT_OF_CALLS;
  return relocation_type == R_X86_64_GLOB_DAT ? GH_SLOT_ANY : GH_SLOT_NONE;
}

int gh_symbol_is_ordinary(const Elf64_Sym* symbol) {
  (void)symbol;
  return 1;
}

uint64_t gh_resolve_indirect(uint64_t resolver) { return ((uint64_t(*)(void))resolver)(); }

/* An instruction that uses a slot has the distance from its end to the slot in its last four
 * bytes, after a byte that indicates so. The bytes before distinguish call and jmp from all
 * others. Bytes that only look like such an instruction make a slot seem used otherwise: then
 * its calls are not counted, but nothing breaks. A comparison with a constant has the distance
 * elsewhere; for it a thunk is as good as the function. */
void gh_note_slot_uses(const unsigned char* code, uint64_t bytes, uint64_t slots, uint64_t count,
                       uint8_t* uses) {
  enum { DISTANCE = 4, OPCODE = 2, MODE = 0xc7, RELATIVE = 5, INDIRECT = 0xff };
  enum { CALL = 0x15, JUMP = 0x25 };
  for (uint64_t at = OPCODE; at + DISTANCE <= bytes; ++at) {
    const int64_t distance = *(const unaligned_distance*)(code + at);
    const uint64_t offset = (uint64_t)(code + at + DISTANCE) + (uint64_t)distance - slots;
    if (offset >= count * sizeof(uint64_t) || offset % sizeof(uint64_t) != 0) continue;
    uint8_t* const use = &uses[offset / sizeof(uint64_t)];
    const unsigned char mode = code[at - 1];
    if (*use == 0 || (mode & MODE) != RELATIVE) continue;
    const int is_call = code[at - OPCODE] == INDIRECT && (mode == CALL || mode == JUMP);
    *use |= is_call ? GH_USED_BY_CALLS : GH_USED_OTHERWISE;
  }
}

#endif
