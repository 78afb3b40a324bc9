/* Addresses of counters. Adding one displacement D to the address of any module's counters must
 * lead to free address space, different for each thread. User space has three gaps: below the
 * program, between the program (0x55…) and the mappings (0x7f…, or 0x15… with an unlimited stack),
 * and between these and the stack. There are families of candidates:
 *
 * BELOW. -8 TiB minus a multiple of a stride moves a position-independent program and its shared
 * objects into the first two gaps. Only the instruction wrgsbase can set a negative gs base, the
 * system call refuses it.
 *
 * GAP. Without the instruction (before Linux 5.9, and in virtual machines that hide it), and for a
 * program at the bottom, D is positive and less than the third gap: it moves shared objects there,
 * and the program into the second. The kernel makes that gap a random size of up to 1 TiB, but
 * 128 MiB without randomisation.
 *
 * NEAR_BELOW, NEAR_ABOVE. A sanitizer leaves the program only the surroundings of the usual
 * addresses: ThreadSanitizer 0x5500 0000 0000 to 0x5680 0000 0000 and from 0x7e80 0000 0000 on,
 * MemorySanitizer 16 TiB and more. A program is at least 330 GiB above the first and 170 GiB below
 * the second of these addresses; the heap, which is above it, is rarely as large as 64 GiB.
 *
 * BOTTOM. AddressSanitizer leaves a program at the bottom 2 GiB, less what the program and its heap
 * take. Shared objects are moved into the third gap.
 *
 * ABOVE. D is 16 TiB and more, and shared objects cannot have counters unless an unlimited stack
 * has put them below the program. */
#if defined(__x86_64__)

#include <elf.h>
#include <link.h>
#include <sys/syscall.h>

#include "runtime/processor/counter_base.h"
#include "runtime/processor/machine.h"
#include "runtime/processor/processor.h"

enum { BELOW, GAP, NEAR_BELOW, NEAR_ABOVE, BOTTOM, ABOVE };
static const uint64_t kBelow = -(uint64_t)0x080000000000;
static const uint64_t kAbove = 0x100000000000;
static const uint64_t kNearBelow = -(uint64_t)(4ull << 30);
static const uint64_t kNearAbove = 64ull << 30;
static const uint64_t kBottom = 0x100000000000; /* programs that are not PIE are below */
static const uint64_t kFirstAtBottom = 256 << 20;
static const uint64_t kSmallGap = 64 << 20;
static const uint64_t kLargeGap = 0x200000000000;
static const uint64_t kPage = 4096;
/* Windows of the families, 64 or 8 MiB each; counters that are larger take several. */
enum { WINDOWS = 65536, NEAR_WINDOWS = 12288, GAP_WINDOWS = 4096, BOTTOM_WINDOWS = 384 };
static const uint64_t kStride = 64 << 20;
static const uint64_t kStrideAtBottom = 4 << 20;
static const uint64_t kNearStride = 8 << 20;

/* MemorySanitizer's start. It comes after the constructors of shared objects, and maps what is
 * left free. */
extern void __msan_init(void) __attribute__((weak));

/* Whether programs may set any base, by the instruction. */
static int has_instruction(void) {
  enum { FSGSBASE = 2 }; /* of AT_HWCAP2 */
  static int known;      /* 1: no, 2: yes */
  if (known == 0) known = gh_auxiliary(AT_HWCAP2) & FSGSBASE ? 2 : 1;
  return known == 2;
}

/* Absent in a static program. */
extern struct r_debug _r_debug __attribute__((weak));

uint64_t gh_shared_objects(void) {
  static uint64_t known;
  static int is_known;
  if (!is_known) {
    known = gh_auxiliary(AT_BASE);
    /* As the executable, with the program as its argument, the linker is nobody's interpreter. */
    if (known == 0 && &_r_debug != 0) known = (uint64_t)_r_debug.r_ldbase;
    is_known = 1;
  }
  return known;
}

/* The gap between the mappings and the stack. The dynamic linker is the first that the kernel maps,
 * so it is at the top; a static program that is position-independent has none. */
static uint64_t gap_below_stack(uint64_t counters) {
  static uint64_t known;
  static int is_known;
  if (!is_known) {
    const uint64_t linker = gh_shared_objects();
    const uint64_t top = linker ? linker : counters;
    const uint64_t stack = gh_auxiliary(AT_RANDOM); /* 16 bytes of the stack */
    known = stack > top ? stack - top : 0;
    is_known = 1;
  }
  return known;
}

static uint64_t displacement_in_gap(uint32_t attempt, uint64_t counters) {
  uint64_t gap = gap_below_stack(counters);
  if (attempt >= GAP_WINDOWS || gap < kSmallGap) return 0;
  if (gap > kLargeGap) gap = kLargeGap; /* mappings at the bottom: an unlimited stack */
  /* The middle half: mappings that come later are below, and the stack grows from above. */
  const uint64_t stride = gap / 2 / GAP_WINDOWS & ~(kPage - 1);
  return (gap / 4 & ~(kPage - 1)) + attempt * stride;
}

uint64_t gh_counter_displacement(int family, uint32_t attempt, uint64_t counters) {
  const int may_be_below = has_instruction() && counters >= kBottom;
  switch (family) {
    case BELOW:
      return may_be_below && !__msan_init && attempt < WINDOWS ? kBelow - attempt * kStride : 0;
    case GAP:
      return may_be_below ? 0 : displacement_in_gap(attempt, counters);
    case NEAR_BELOW:
      return may_be_below && attempt < NEAR_WINDOWS ? kNearBelow - attempt * kNearStride : 0;
    case NEAR_ABOVE:
      return attempt < NEAR_WINDOWS ? kNearAbove + attempt * kNearStride : 0;
    case BOTTOM:
      return counters < kBottom && attempt < BOTTOM_WINDOWS
                 ? kFirstAtBottom + attempt * kStrideAtBottom
                 : 0;
    default:
      return attempt < WINDOWS ? kAbove + attempt * kStride : 0;
  }
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
