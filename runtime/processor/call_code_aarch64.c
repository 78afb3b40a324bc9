/* Source: Arm's architecture reference manual, BL, BLR, ADRP, LDR, SVC and BTI. */
#ifdef __aarch64__

#include "runtime/processor/call_code.h"

enum { INSTRUCTION_BYTES = 4 };

static uint32_t instruction(const unsigned char* at) {
  return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Of the lowest `count` bits. */
static uint64_t with_sign(uint64_t bits, int count) {
  return (uint64_t)((int64_t)(bits << (64 - count)) >> (64 - count));
}

int gh_call_at(const unsigned char* code, uint64_t bytes, uint64_t address, struct gh_call* call) {
  call->target = call->slot = 0;
  if (bytes < INSTRUCTION_BYTES || address % INSTRUCTION_BYTES != 0) return 0;
  const uint32_t word = instruction(code);
  if (word >> 26 != 0x25 /* bl */) return 0;
  call->target = address + with_sign(word & 0x3ffffff, 26) * INSTRUCTION_BYTES;
  return 1;
}

int gh_call_before(const unsigned char* code, uint64_t address, struct gh_call* call) {
  const unsigned char* const at = code + GH_LONGEST_CALL - INSTRUCTION_BYTES;
  if (gh_call_at(at, INSTRUCTION_BYTES, address - INSTRUCTION_BYTES, call)) return 1;
  return address % INSTRUCTION_BYTES == 0 && (instruction(at) & 0xfffffc1f) == 0xd63f0000; /* blr */
}

uint64_t gh_slot_of_plt_entry(const unsigned char* code, uint64_t address) {
  if (instruction(code) == 0xd503245f /* bti c */) {
    code += INSTRUCTION_BYTES;
    address += INSTRUCTION_BYTES;
  }
  const uint32_t page = instruction(code), load = instruction(code + INSTRUCTION_BYTES);
  if ((page & 0x9f00001f) != 0x90000010 /* adrp x16 */ ||
      (load & 0xffc003ff) != 0xf9400211 /* ldr x17, [x16, …] */) {
    return 0;
  }
  const uint64_t pages = with_sign((page >> 5 & 0x7ffff) << 2 | (page >> 29 & 3), 21);
  return (address & ~(uint64_t)0xfff) + (pages << 12) + (load >> 10 & 0xfff) * 8;
}

int gh_is_system_call(const unsigned char* code) { return instruction(code) == 0xd4000001; }

#endif
