/* Addresses of counters. Adding one displacement D to the address of any module's counters must
 * lead to free address space, different for each thread. User space has two huge gaps, between
 * the program (0x55…) and the mappings below the stack (0x7f…), and below the program; so D is
 * -0x1800 0000 0000 minus a multiple of a stride, which moves both into the gaps. A program that
 * is not position-independent is at the bottom, and D is +0x1000 0000 0000 and more; shared
 * objects with counters are not possible then.
 *
 * Only the instruction wrgsbase can set a negative gs base, the system call refuses it. Without
 * the instruction (before Linux 5.9) D is positive, too. */
#if defined(__x86_64__)

#include <elf.h>
#include <sys/syscall.h>

#include "runtime/processor/counter_base.h"
#include "runtime/processor/machine.h"
#include "runtime/processor/processor.h"

enum { WINDOWS = 65536 };
static const uint64_t kBelow = -(uint64_t)0x180000000000;
static const uint64_t kAbove = 0x100000000000;
static const uint64_t kBottom = 0x100000000000; /* programs that are not PIE are below */
static const uint64_t kStride = 64 << 20;

/* Whether programs may set any base, by the instruction. */
static int has_instruction(void) {
  enum { FSGSBASE = 2 }; /* of AT_HWCAP2 */
  static int known;      /* 1: no, 2: yes */
  if (known == 0) known = gh_auxiliary(AT_HWCAP2) & FSGSBASE ? 2 : 1;
  return known == 2;
}

uint64_t gh_counter_displacement(uint32_t attempt, uint64_t counters) {
  const uint64_t distance = (attempt % WINDOWS) * kStride;
  return !has_instruction() || counters < kBottom ? kAbove + distance : kBelow - distance;
}

int gh_set_counter_base(uint64_t base) {
  enum { ARCH_SET_GS = 0x1001 };
  if (!has_instruction()) {
    return gh_syscall(SYS_arch_prctl, ARCH_SET_GS, (long)base, 0, 0, 0, 0) == 0;
  }
  __asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
  return 1;
}

uint64_t gh_call_target(const unsigned char* at, uint64_t* from) {
  int32_t far;
  /* bnd, and the linker's padding of a call through the GOT that it made direct. */
  while (*at == 0xf2 || *at == 0x67) ++at;
  *from = (uint64_t)at + 1;
  if (*at == 0xeb) return (uint64_t)at + 2 + (uint64_t)(int64_t)(signed char)at[1];
  if (*at != 0xe8 && *at != 0xe9) return 0; /* through the GOT */
  gh_copy(&far, at + 1, sizeof far);
  if (*at == 0xe8) *from = (uint64_t)at + 5;
  return (uint64_t)at + 5 + (uint64_t)(int64_t)far;
}

#endif
