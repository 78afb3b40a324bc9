#if defined(__aarch64__)

#include "runtime/processor/counter_base.h"
#include "runtime/processor/processor.h"

uint64_t gh_counter_displacement(int family, uint32_t attempt, uint64_t counters) {
  (void)family;
  (void)attempt;
  (void)counters;
  return 0;
}

uint64_t gh_shared_objects(void) { return 0; }

int gh_set_counter_base(uint64_t base) { return base == 0; }

/* The lower 26 bits of bl and b are the distance in words. */
uint64_t gh_call_target(const unsigned char* at, uint64_t* from) {
  enum { OPCODE = 26, JUMP = 0x05, CALL = 0x25, BYTES = 4 };
  uint32_t instruction;
  gh_copy(&instruction, at, sizeof instruction);
  const uint32_t opcode = instruction >> OPCODE;
  if (opcode != JUMP && opcode != CALL) return 0;
  *from = (uint64_t)at + (opcode == CALL ? BYTES : 1);
  return (uint64_t)at + ((uint64_t)((int64_t)((uint64_t)instruction << 38) >> 38) << 2);
}

#endif
