/* Disk space is allocated before it is mapped: a sparse file on a full disk would raise SIGBUS
 * at some later increment. No descriptor stays open, so the program sees the same descriptors as
 * without the runtime; each growth opens the file again by its absolute path. */
#include "runtime/recording/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "profile/format/recording.h"
#include "runtime/base/config.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"

enum { NAMES_TO_TRY = 1000 };

static char path[GH_PATH_BYTES + 512];

void* gh_map_anonymous(void* where, uint64_t bytes) {
  long at = GH_CALL6(mmap, where, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED : 0), -1, 0);
  return GH_FAILED(at) ? 0 : (void*)at;
}

/* Allocates [offset, offset + bytes) on disk; it reads as zero. */
static long reserve(long fd, uint64_t offset, uint64_t bytes) {
  struct rlimit limit;
  /* Growing beyond RLIMIT_FSIZE would not only fail but also raise SIGXFSZ. */
  if (!GH_FAILED(GH_CALL4(prlimit64, 0, RLIMIT_FSIZE, 0, &limit)) &&
      limit.rlim_cur != RLIM_INFINITY && offset + bytes > limit.rlim_cur) {
    return -EFBIG;
  }
  long result;
  do {
    result = GH_CALL4(fallocate, fd, 0, offset, bytes);
  } while (result == -EINTR);
  if (result != -EOPNOTSUPP && result != -ENOSYS) return result;
  /* A file system without fallocate: writing zeros allocates as well. */
  static const char zeros[GPROFHUB_PAGE_BYTES];
  for (uint64_t done = 0; done < bytes; done += sizeof zeros) {
    result = GH_CALL4(pwrite64, fd, zeros, sizeof zeros, offset + done);
    if (result != (long)sizeof zeros) return GH_FAILED(result) ? result : -ENOSPC;
  }
  return 0;
}

void* gh_file_map(void* where, uint64_t offset, uint64_t bytes, long* error) {
  long fd = GH_OPEN(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
  if (GH_FAILED(fd)) {
    *error = fd;
    return 0;
  }
  *error = reserve(fd, offset, bytes);
  long at = -1;
  if (!GH_FAILED(*error)) {
    at = GH_CALL6(mmap, where, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (where ? MAP_FIXED : 0),
                  fd, offset);
    *error = GH_FAILED(at) ? at : 0;
  }
  GH_CALL1(close, fd);
  return GH_FAILED(at) ? 0 : (void*)at;
}

long gh_file_create(uint64_t process_id) {
  long fd = -EEXIST;
  for (int attempt = 0; fd == -EEXIST && attempt < NAMES_TO_TRY; ++attempt) {
    struct gh_text text = gh_text_in(path, sizeof path);
    gh_put(&text, gh_config.directory);
    gh_put(&text, "/");
    gh_put(&text, gh_base_name(gh_config.program));
    gh_put(&text, ".");
    gh_put_number(&text, process_id);
    if (attempt) {
      gh_put(&text, ".");
      gh_put_number(&text, (uint64_t)attempt);
    }
    gh_put(&text, ".gprofhub");
    if (text.cut) return -ENAMETOOLONG;
    fd = GH_OPEN(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  }
  if (GH_FAILED(fd)) return fd;
  GH_CALL1(close, fd);
  return 0;
}

void gh_file_remove(void) { GH_UNLINK(path); }

const char* gh_file_path(void) { return path; }
