/* Disk space is allocated before it is mapped: a sparse file on a full disk would raise SIGBUS
 * at some later increment.
 *
 * One descriptor stays open, because the program may give up the right to open the file, or the
 * path may lead elsewhere (setuid, chroot, Landlock, a removed directory). Its number is high. A
 * program that closes all descriptors leaves it open (process/close_hook.c), unless it uses the
 * bare system call. It may also reuse the number. So the descriptor is compared with the file
 * before each use, and the file is opened again if it is another's. */
#include "runtime/recording/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "profile/format/recording.h"
#include "runtime/base/config.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/processor/machine.h"

enum { NAMES_TO_TRY = 1000 };

static char path[GH_PATH_BYTES + 512];

static int32_t kept = -1; /* its descriptor */
static uint64_t device, inode;

void* gh_map_anonymous(void* where, uint64_t bytes) {
  long at = GH_CALL6(mmap, where, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED : 0), -1, 0);
  return GH_FAILED(at) ? 0 : (void*)at;
}

int gh_reserve(uint64_t low, uint64_t bytes) {
  const long at =
      GH_CALL6(mmap, low, bytes, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if ((uint64_t)at == low) return 1;
  if (!GH_FAILED(at)) GH_CALL2(munmap, at, bytes); /* the kernel ignores the flag */
  return 0;
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

/* The lowest number of a descriptor that is kept, to stay clear of a program that relies on low
 * ones. 0: the limit is too low to keep one. */
static uint64_t descriptor_floor(void) {
  enum { FEW = 128, MANY = 2048, FLOOR_OF_MANY = 1000 };
  struct rlimit limit;
  if (GH_FAILED(GH_CALL4(prlimit64, 0, RLIMIT_NOFILE, 0, &limit))) return FLOOR_OF_MANY;
  if (limit.rlim_cur < FEW) return 0;
  return limit.rlim_cur < MANY ? limit.rlim_cur / 2 : FLOOR_OF_MANY;
}

static int is_the_file(long fd, struct stat* file) {
  return !GH_FAILED(GH_CALL2(fstat, fd, file)) && file->st_dev == device && file->st_ino == inode;
}

int gh_file_descriptor(void) {
  struct stat file;
  const int fd = __atomic_load_n(&kept, __ATOMIC_ACQUIRE);
  return fd >= 0 && is_the_file(fd, &file) ? fd : -1;
}

int gh_file_keeps(int fd) {
  return fd >= 0 && fd == __atomic_load_n(&kept, __ATOMIC_ACQUIRE) && gh_file_descriptor() == fd;
}

/* A descriptor of the file, which *close_it says to close; or -errno. */
static long open_file(int* close_it) {
  struct stat file;
  const int fd = gh_file_descriptor();
  *close_it = 0;
  if (fd >= 0) return fd;
  *close_it = 1;
  const long again = GH_OPEN(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
  if (GH_FAILED(again) || is_the_file(again, &file)) return again;
  GH_CALL1(close, again);
  return -ENOENT;
}

/* With the number that it had, if the program only closed it. */
static void keep(long fd) {
  int32_t stale = __atomic_load_n(&kept, __ATOMIC_ACQUIRE);
  const uint64_t floor = stale >= 0 ? (uint64_t)stale : descriptor_floor();
  const long moved = floor ? GH_CALL3(fcntl, fd, F_DUPFD_CLOEXEC, floor) : -1;
  if (GH_FAILED(moved) || moved == stale) return;
  /* Another thread may have been faster. */
  if (!__atomic_compare_exchange_n(&kept, &stale, (int32_t)moved, 0, __ATOMIC_ACQ_REL,
                                   __ATOMIC_RELAXED)) {
    GH_CALL1(close, moved);
  }
}

void* gh_file_map(void* where, uint64_t offset, uint64_t bytes, long* error) {
  int close_it;
  const long fd = open_file(&close_it);
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
  if (close_it) {
    keep(fd);
    GH_CALL1(close, fd);
  }
  return GH_FAILED(at) ? 0 : (void*)at;
}

/* From now on `fd` is the file that grows. */
static void become(long fd, const struct stat* file) {
  device = file->st_dev;
  inode = file->st_ino;
  gh_file_close();
  keep(fd);
}

/* A file system without fallocate gets a page by one zero, which other processes' words of that
 * page do not include: it may have them already. */
static long reserve_first_page(long fd, uint64_t bytes) {
  static const char zero;
  long result;
  do {
    result = GH_CALL4(fallocate, fd, 0, 0, bytes);
  } while (result == -EINTR);
  if (result != -EOPNOTSUPP && result != -ENOSYS) return result;
  result = GH_CALL4(pwrite64, fd, &zero, 1, bytes - 1);
  return GH_FAILED(result) ? result : 0;
}

struct gprofhub_shared* gh_file_join(long* error) {
  struct rlimit limit;
  struct gh_text text = gh_text_in(path, sizeof path);
  gh_put(&text, gh_config.shared_directory);
  gh_put(&text, "/" GPROFHUB_SHARED_NAME);
  *error = -ENAMETOOLONG;
  if (text.cut) return 0;
  /* The others' data would count against the limit of this process. */
  *error = -EFBIG;
  if (!GH_FAILED(GH_CALL4(prlimit64, 0, RLIMIT_FSIZE, 0, &limit)) &&
      limit.rlim_cur != RLIM_INFINITY) {
    return 0;
  }
  const long fd = GH_OPEN(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  *error = fd;
  if (GH_FAILED(fd)) return 0;
  const uint64_t page = gh_page_bytes();
  struct stat file;
  *error = GH_CALL2(fstat, fd, &file);
  if (!GH_FAILED(*error) && !S_ISREG(file.st_mode)) *error = -EINVAL;
  if (!GH_FAILED(*error)) *error = reserve_first_page(fd, page);
  long at = -1;
  if (!GH_FAILED(*error)) {
    at = GH_CALL6(mmap, 0, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    *error = GH_FAILED(at) ? at : 0;
  }
  if (!GH_FAILED(*error)) become(fd, &file);
  GH_CALL1(close, fd);
  return GH_FAILED(*error) ? 0 : (struct gprofhub_shared*)at;
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
  struct stat file;
  const long error = GH_CALL2(fstat, fd, &file);
  if (!GH_FAILED(error)) become(fd, &file);
  GH_CALL1(close, fd);
  return GH_FAILED(error) ? error : 0;
}

void gh_file_close(void) {
  struct stat file;
  if (kept >= 0 && is_the_file(kept, &file)) GH_CALL1(close, kept);
  kept = -1;
}

int gh_file_is_removed(void) {
  struct stat file;
  return kept >= 0 && is_the_file(kept, &file) && file.st_nlink == 0;
}

void gh_file_remove(void) {
  GH_UNLINK(path);
  gh_file_close();
}

const char* gh_file_path(void) { return path; }
