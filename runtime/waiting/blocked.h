/* Where a thread of this process is blocked, according to /proc. */
#ifndef GPROFHUB_RUNTIME_WAITING_BLOCKED_H_
#define GPROFHUB_RUNTIME_WAITING_BLOCKED_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)

enum gh_thread_state { GH_THREAD_GONE, GH_THREAD_RUNS, GH_THREAD_IS_BLOCKED };

enum { GH_NO_SYSTEM_CALL = -1 }; /* usually a page fault that reads from a disk */

struct gh_blocked {
  int64_t number;    /* system call number, or GH_NO_SYSTEM_CALL */
  uint64_t argument; /* first argument */
  uint64_t sp, pc;   /* of the program: pc is after the system call */
};

/* Opens /proc/self/task/<tid>/syscall; returns the descriptor or -errno. */
long gh_open_state(uint32_t tid);

/* Reads the state. A runnable thread counts as running, with or without a processor. The thread
 * is not disturbed. */
enum gh_thread_state gh_read_state(int32_t fd, struct gh_blocked* blocked);

/* The same from the file's text, which is NUL-terminated. */
enum gh_thread_state gh_parse_state(const char* text, struct gh_blocked* blocked);

#pragma GCC visibility pop

#endif
