/* Addresses of counters. Adding one displacement D to the address of any module's counters must
 * lead to free address space, different for each thread. User space has three gaps: below the
 * program, between the program (0x55…) and the mappings (0x7f…), and between these and the stack.
 *
 * For a position-independent program D is -0x1800 0000 0000 minus a multiple of a stride, which
 * moves the program and its shared objects into the first two gaps. Only the instruction wrgsbase
 * can set a negative gs base, the system call refuses it.
 *
 * Without the instruction (before Linux 5.9, and in virtual machines that hide it), and for a
 * program at the bottom, D is positive and less than the third gap: it moves shared objects there,
 * and the program into the second. The kernel makes that gap a random size of up to 1 TiB, but
 * 128 MiB without randomisation. Where the program's heap is in the way, D is +0x1000 0000 0000
 * and more, and shared objects cannot have counters. */
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
static const uint64_t kSmallGap = 64 << 20;
static const uint64_t kLargeGap = 0x200000000000;
static const uint64_t kPage = 4096;
enum { NEAR_WINDOWS = 4096 }; /* counters that are larger take several */

/* Whether programs may set any base, by the instruction. */
static int has_instruction(void) {
  enum { FSGSBASE = 2 }; /* of AT_HWCAP2 */
  static int known;      /* 1: no, 2: yes */
  if (known == 0) known = gh_auxiliary(AT_HWCAP2) & FSGSBASE ? 2 : 1;
  return known == 2;
}

/* The gap between the mappings and the stack. The dynamic linker is the first that the kernel maps,
 * so it is at the top; a static program that is position-independent has none. */
static uint64_t gap_below_stack(uint64_t counters) {
  static uint64_t known;
  static int is_known;
  if (!is_known) {
    const uint64_t linker = gh_auxiliary(AT_BASE);
    const uint64_t top = linker ? linker : counters;
    const uint64_t stack = gh_auxiliary(AT_RANDOM); /* 16 bytes of the stack */
    known = stack > top ? stack - top : 0;
    is_known = 1;
  }
  return known;
}

uint64_t gh_counter_displacement(uint32_t attempt, int last_resort, uint64_t counters) {
  const uint64_t distance = (attempt % WINDOWS) * kStride;
  if (has_instruction() && counters >= kBottom) return kBelow - distance;
  uint64_t gap = gap_below_stack(counters);
  if (last_resort || gap < kSmallGap) return kAbove + distance;
  if (gap > kLargeGap) gap = kLargeGap; /* mappings at the bottom: an unlimited stack */
  /* The middle half: mappings that come later are below, and the stack grows from above. */
  const uint64_t stride = gap / 2 / NEAR_WINDOWS & ~(kPage - 1);
  return (gap / 4 & ~(kPage - 1)) + attempt % NEAR_WINDOWS * stride;
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
