#include "runtime/processor/machine.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "runtime/processor/processor.h"

uint64_t gh_auxiliary(uint64_t type) {
  uint64_t vector[128];
  const long fd =
      gh_syscall(SYS_openat, AT_FDCWD, (long)"/proc/self/auxv", O_RDONLY | O_CLOEXEC, 0, 0, 0);
  if (fd < 0) return 0;
  const long bytes = gh_syscall(SYS_read, fd, (long)vector, sizeof vector, 0, 0, 0);
  gh_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
  for (long i = 0; i + 1 < bytes / (long)sizeof vector[0]; i += 2) {
    if (vector[i] == type) return vector[i + 1];
  }
  return 0;
}

uint64_t gh_page_bytes(void) {
  /* A multiple of the true size is sufficient. */
  enum { LARGEST = 65536 };
  static uint64_t known;
  uint64_t page = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (page == 0) {
    page = gh_auxiliary(AT_PAGESZ);
    if (page == 0) page = LARGEST;
    __atomic_store_n(&known, page, __ATOMIC_RELAXED);
  }
  return page;
}
