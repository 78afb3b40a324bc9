/* System calls without libc: they leave errno alone, cannot be interposed, take no
 * lock and may be made before main, in signal handlers and while the floating-point
 * argument registers are live. Results below 0 are -errno. */
#ifndef GPROFHUB_RUNTIME_BASE_SYSCALLS_H_
#define GPROFHUB_RUNTIME_BASE_SYSCALLS_H_

#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>

#include "runtime/processor/processor.h"

#define GH_CALL0(n) gh_syscall(SYS_##n, 0, 0, 0, 0, 0, 0)
#define GH_CALL1(n, a) gh_syscall(SYS_##n, (long)(a), 0, 0, 0, 0, 0)
#define GH_CALL2(n, a, b) gh_syscall(SYS_##n, (long)(a), (long)(b), 0, 0, 0, 0)
#define GH_CALL3(n, a, b, c) gh_syscall(SYS_##n, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define GH_CALL4(n, a, b, c, d) \
  gh_syscall(SYS_##n, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)
#define GH_CALL5(n, a, b, c, d, e) \
  gh_syscall(SYS_##n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), 0)
#define GH_CALL6(n, a, b, c, d, e, f) \
  gh_syscall(SYS_##n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))

#define GH_FAILED(result) ((unsigned long)(result) > -4096UL)

/* Some processors have only the *at variants. */
#define GH_OPEN(path, flags, mode) GH_CALL4(openat, AT_FDCWD, path, flags, mode)
#define GH_UNLINK(path) GH_CALL3(unlinkat, AT_FDCWD, path, 0)
#define GH_READLINK(path, to, bytes) GH_CALL4(readlinkat, AT_FDCWD, path, to, bytes)

#endif
