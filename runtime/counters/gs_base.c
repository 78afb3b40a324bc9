#include "runtime/counters/gs_base.h"

#include <fcntl.h>

#include "runtime/base/syscalls.h"

/* Bit 1 of the auxiliary vector's AT_HWCAP2 says so. */
int gh_may_write_gs_base(void) {
  enum { AT_HWCAP2 = 26, FSGSBASE = 2 };
  static int known; /* 1: no, 2: yes */
  if (known) return known == 2;
  uint64_t vector[128];
  const long fd = GH_CALL3(open, "/proc/self/auxv", O_RDONLY | O_CLOEXEC, 0);
  long bytes = 0;
  if (!GH_FAILED(fd)) {
    bytes = GH_CALL3(read, fd, vector, sizeof vector);
    GH_CALL1(close, fd);
  }
  known = 1;
  for (long i = 0; i + 1 < bytes / (long)sizeof vector[0]; i += 2) {
    if (vector[i] == AT_HWCAP2 && vector[i + 1] & FSGSBASE) known = 2;
  }
  return known == 2;
}

int gh_set_gs_base(uint64_t base) {
  enum { ARCH_SET_GS = 0x1001 };
  if (!gh_may_write_gs_base()) return !GH_FAILED(GH_CALL2(arch_prctl, ARCH_SET_GS, base));
  __asm__ volatile("wrgsbase %0" : : "r"(base) : "memory");
  return 1;
}
