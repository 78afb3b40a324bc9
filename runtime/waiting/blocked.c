/* Source: proc_pid_syscall(5). */
#include "runtime/waiting/blocked.h"

#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"

enum { ARGUMENTS = 6 };

long gh_open_state(uint32_t tid) {
  char path[64];
  struct gh_text text = gh_text_in(path, sizeof path);
  gh_put(&text, "/proc/self/task/");
  gh_put_number(&text, tid);
  gh_put(&text, "/syscall");
  return GH_OPEN(path, O_RDONLY | O_CLOEXEC, 0);
}

static int take_word(const char** at, uint64_t* word) {
  *at = gh_after(*at, " 0x");
  if (!*at) return 0;
  *word = gh_take_hex(at);
  return 1;
}

/* "running", "-1 SP PC" or "NUMBER ARGUMENT… SP PC". */
enum gh_thread_state gh_parse_state(const char* text, struct gh_blocked* blocked) {
  if (text[0] == 'r') return GH_THREAD_RUNS;
  uint64_t number = 0;
  blocked->number = GH_NO_SYSTEM_CALL;
  blocked->argument = 0;
  const char* at = gh_after(text, "-1");
  if (!at) {
    at = text;
    if (!gh_take_number(&at, &number)) return GH_THREAD_GONE;
    blocked->number = (int64_t)number;
    for (int i = 0; i < ARGUMENTS; ++i) {
      uint64_t argument;
      if (!take_word(&at, &argument)) return GH_THREAD_GONE;
      if (i == 0) blocked->argument = argument;
    }
  }
  if (!take_word(&at, &blocked->sp) || !take_word(&at, &blocked->pc)) return GH_THREAD_GONE;
  /* A thread that is about to end has no stack any more. */
  return blocked->sp ? GH_THREAD_IS_BLOCKED : GH_THREAD_GONE;
}

enum gh_thread_state gh_read_state(int32_t fd, struct gh_blocked* blocked) {
  char text[256];
  const long got = GH_CALL4(pread64, fd, text, sizeof text - 1, 0);
  if (got <= 0) return GH_THREAD_GONE;
  text[got] = 0;
  return gh_parse_state(text, blocked);
}
