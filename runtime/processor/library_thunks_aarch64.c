#ifdef __aarch64__

#include "runtime/processor/library_thunks.h"
#include "runtime/processor/machine.h"

enum { VARIANT_CALLS = 0x80 /* STO_AARCH64_VARIANT_PCS */ };

struct gh_library_entry gh_library_entries[GH_LIBRARY_THUNKS];

/* Two instructions load an address, and need not be adjacent: calls through other slots cannot
 * be distinguished from uses of the function's address. So these slots stay unchanged. */
int gh_slot_of(uint32_t relocation_type) {
  return relocation_type == R_AARCH64_JUMP_SLOT ? GH_SLOT_OF_CALLS : GH_SLOT_NONE;
}

/* Vector functions preserve registers that others do not. */
int gh_symbol_is_ordinary(const Elf64_Sym* symbol) { return !(symbol->st_other & VARIANT_CALLS); }

/* The ABI's two arguments: AT_HWCAP, and the address of that and AT_HWCAP2. */
uint64_t gh_resolve_indirect(uint64_t resolver) {
  const uint64_t kHasSecond = (uint64_t)1 << 62;
  const uint64_t capabilities[] = {3 * sizeof(uint64_t), gh_auxiliary(AT_HWCAP),
                                   gh_auxiliary(AT_HWCAP2)};
  return ((uint64_t(*)(uint64_t, const uint64_t*))resolver)(capabilities[1] | kHasSecond,
                                                            capabilities);
}

void gh_note_slot_uses(const unsigned char* code, uint64_t bytes, uint64_t slots, uint64_t count,
                       uint8_t* uses) {
  (void)code;
  (void)bytes;
  (void)slots;
  (void)count;
  (void)uses;
}

#endif
