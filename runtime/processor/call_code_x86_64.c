/* Source: Intel's manual, volume 2, CALL and JMP. */
#ifdef __x86_64__

#include "runtime/processor/call_code.h"

enum {
  DIRECT = 0xe8, /* call rel32 */
  GROUP = 0xff,  /* by the three bits of ModRM: */
  INDIRECT_CALL = 2,
  INDIRECT_JUMP = 4,
  FROM_RIP = 5, /* of ModRM: mod 0, the displacement is relative to the next instruction */
  DIRECT_BYTES = 5,
  THROUGH_SLOT_BYTES = 6
};

static uint64_t relative(const unsigned char* at, uint64_t next) {
  const uint32_t bits =
      at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
  return next + (uint64_t)(int64_t)(int32_t)bits;
}

static int operation(unsigned char modrm) { return modrm >> 3 & 7; }

int gh_call_at(const unsigned char* code, uint64_t bytes, uint64_t address, struct gh_call* call) {
  call->target = call->slot = 0;
  if (bytes >= DIRECT_BYTES && code[0] == DIRECT) {
    call->target = relative(code + 1, address + DIRECT_BYTES);
    return 1;
  }
  if (bytes >= THROUGH_SLOT_BYTES && code[0] == GROUP &&
      code[1] == (INDIRECT_CALL << 3 | FROM_RIP)) {
    call->slot = relative(code + 2, address + THROUGH_SLOT_BYTES);
    return 1;
  }
  return 0;
}

/* Length of `FF /2` with this ModRM and the bytes after it, without prefixes. */
static int length_of_indirect(const unsigned char* code) {
  const int mode = code[1] >> 6, base = code[1] & 7;
  int length = 2;
  if (mode == 3) return length;
  if (base == 4) {
    ++length;
    if (mode == 0 && (code[2] & 7) == 5) length += 4;
  }
  if (mode == 0 && base == FROM_RIP) length += 4;
  return length + (mode == 1 ? 1 : mode == 2 ? 4 : 0);
}

int gh_call_before(const unsigned char* code, uint64_t address, struct gh_call* call) {
  const unsigned char* const end = code + GH_LONGEST_CALL;
  if (gh_call_at(end - DIRECT_BYTES, DIRECT_BYTES, address - DIRECT_BYTES, call)) return 1;
  if (gh_call_at(end - THROUGH_SLOT_BYTES, THROUGH_SLOT_BYTES, address - THROUGH_SLOT_BYTES,
                 call)) {
    return 1;
  }
  for (int length = 2; length < GH_LONGEST_CALL; ++length) {
    const unsigned char* const at = end - length;
    if (at[0] == GROUP && operation(at[1]) == INDIRECT_CALL && length_of_indirect(at) == length) {
      return 1;
    }
  }
  return 0;
}

uint64_t gh_slot_of_plt_entry(const unsigned char* code, uint64_t address) {
  static const unsigned char kEndbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  enum { BND = 0xf2 };
  uint64_t at = 0;
  while (at < sizeof kEndbr64 && code[at] == kEndbr64[at]) ++at;
  if (at != 0 && at != sizeof kEndbr64) return 0;
  if (code[at] == BND) ++at;
  if (code[at] != GROUP || code[at + 1] != (INDIRECT_JUMP << 3 | FROM_RIP)) return 0;
  return relative(code + at + 2, address + at + THROUGH_SLOT_BYTES);
}

int gh_is_system_call(const unsigned char* code) { return code[0] == 0x0f && code[1] == 0x05; }

#endif
