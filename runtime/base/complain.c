#include "runtime/base/complain.h"

#include <errno.h>
#include <sys/stat.h>

#include "runtime/base/config.h"
#include "runtime/base/signals.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"

/* Room for two paths. Not on the stack: a signal handler's may be small. */
enum { LINE_BYTES = 2 * GH_PATH_BYTES + 1024 };

static int complained[GH_SUBJECTS];
static char lines[GH_SUBJECTS][LINE_BYTES];

static int had_stderr;
static struct stat begun_with;

void gh_complain_begin(void) { had_stderr = !GH_FAILED(GH_CALL2(fstat, 2, &begun_with)); }

static int is_stderr(void) {
  struct stat now;
  return had_stderr && !GH_FAILED(GH_CALL2(fstat, 2, &now)) && now.st_dev == begun_with.st_dev &&
         now.st_ino == begun_with.st_ino;
}

void gh_complain(enum gh_subject subject, const char* what, const char* detail) {
  if (__atomic_exchange_n(&complained[subject], 1, __ATOMIC_RELAXED) || !is_stderr()) return;
  char* const line = lines[subject];
  struct gh_text text = gh_text_in(line, LINE_BYTES - 1);
  gh_put(&text, "gprofhub: ");
  gh_put(&text, gh_base_name(gh_config.program));
  gh_put(&text, ": ");
  gh_put(&text, what);
  if (detail[0]) {
    gh_put(&text, ": ");
    gh_put(&text, detail);
  }
  line[text.length++] = '\n';
  const struct gh_quiet_writing writing = gh_begin_writing();
  GH_CALL3(write, 2, line, text.length);
  gh_end_writing(writing);
}

const char* gh_reason(long error) {
  switch (-error) {
    case ENOSPC:
      return "the disk is full";
    case EDQUOT:
      return "the disk quota is used up";
    case EFBIG:
      return "the file size limit (ulimit -f) is reached";
    case ENOMEM:
      return "out of memory (ulimit -v?)";
    case EACCES:
    case EPERM:
    case EROFS:
      return "the directory is not writable";
    case ENOENT:
    case ENOTDIR:
      return "no such directory";
    case EMFILE:
    case ENFILE:
      return "too many open files";
    default:
      return "cannot create or extend the file";
  }
}
