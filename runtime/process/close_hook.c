/* A daemon closes all descriptors that it finds, and then gives up the rights without which the
 * recording cannot be opened again. So the functions that close leave out the recording's
 * descriptor (file.c). They return what they would have returned if it had been the program's.
 *
 * Those who close by the bare system call close it. The file is then opened again when it next
 * grows, if that is still possible. */
#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/base/syscalls.h"
#include "runtime/process/interposed.h"
#include "runtime/recording/file.h"

#ifndef CLOSE_RANGE_UNSHARE /* glibc before 2.34 */
int close_range(unsigned first, unsigned last, int flags);
void closefrom(int lowest);
#endif

OF_SANITIZER(close)
extern int __close(int) __attribute__((weak)); /* libc's, in a static program */

static int (*next_close)(int);

/* Not at the first close, which may be in a signal handler. */
__attribute__((constructor(101))) static void find_next(void) {
  next_close = sanitizers_close();
  if (next_close == 0 && &dlsym != 0) *(void**)&next_close = dlsym(RTLD_NEXT, "close");
}

static int close_one(int fd) {
  if (next_close) return next_close(fd);
  if (&__close != 0) return __close(fd);
  return set_errno(GH_CALL1(close, fd));
}

EXPORT int close(int fd) { return gh_file_keeps(fd) ? 0 : close_one(fd); }
WRAPPED(close);

/* 0, or -errno. */
static long close_both_sides(unsigned first, unsigned last, unsigned flags) {
  const long kept = gh_file_descriptor();
  if (kept < (long)first || kept > (long)last) {
    return GH_CALL3(close_range, first, last, flags);
  }
  long result = 0;
  if (kept > (long)first) result = GH_CALL3(close_range, first, kept - 1, flags);
  if (!GH_FAILED(result) && kept < (long)last) {
    result = GH_CALL3(close_range, kept + 1, last, flags);
  }
  return result;
}

EXPORT int close_range(unsigned first, unsigned last, int flags) {
  return set_errno(close_both_sides(first, last, (unsigned)flags));
}

EXPORT void closefrom(int lowest) {
  const unsigned first = lowest < 0 ? 0 : (unsigned)lowest;
  if (!GH_FAILED(close_both_sides(first, ~0u, 0))) return;
  /* Before Linux 5.9. */
  struct rlimit limit;
  if (GH_FAILED(GH_CALL4(prlimit64, 0, RLIMIT_NOFILE, 0, &limit))) return;
  for (unsigned fd = first; fd < limit.rlim_cur; ++fd) {
    if (!gh_file_keeps((int)fd)) GH_CALL1(close, fd);
  }
}

/* Links this file in. */
const char gh_close_hook = 1;
