/* Where a thread of this process is blocked, as the kernel tells it in /proc. */
#ifndef GPROFHUB_RUNTIME_WAITING_BLOCKED_H_
#define GPROFHUB_RUNTIME_WAITING_BLOCKED_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)

enum gh_thread_state { GH_THREAD_GONE, GH_THREAD_RUNS, GH_THREAD_IS_BLOCKED };

enum { GH_NO_SYSTEM_CALL = -1 }; /* a page that is read from a disk, most often */

struct gh_blocked {
  int64_t number;    /* of the system call, or GH_NO_SYSTEM_CALL */
  uint64_t argument; /* its first */
  uint64_t sp, pc;   /* of the program: pc is behind the system call */
};

/* /proc/self/task/<tid>/syscall, opened; or -errno. */
long gh_open_state(uint32_t tid);

/* What it says. A thread that can be executed runs, whether it has a processor or not. The thread
 * is not disturbed. */
enum gh_thread_state gh_read_state(int32_t fd, struct gh_blocked* blocked);

/* The same of the file's text, which is terminated. */
enum gh_thread_state gh_parse_state(const char* text, struct gh_blocked* blocked);

#pragma GCC visibility pop

#endif
