// Fault injection below an unmodified program.
//
// LD_PRELOAD puts this library in front of libc. It counts the program's operations on files below
// one folder, or on its database's socket. The operation of a given number fails, or kills the
// program in its place. So a test visits every place at which a disk can fail, without a single
// line in the program for it. The library can also simulate a full disk, move the clock, and keep a
// journal of all operations for a model of a disk that loses power (../power_loss/).
//
// Calls pass one lock, so the order of the journal is the order of the operations. The lock is
// held while an operation is done. When the program is killed here, no other operation is half
// done.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "tests/fault/shim/control.h"

static struct fault_control* control;
static int journal = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void open_control(void) {
  const char* path = getenv(FAULT_CONTROL_VARIABLE);
  if (path == NULL) return;
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (fd < 0) {
    fprintf(stderr, "fault shim: no control file %s: %s\n", path, strerror(errno));
    _exit(125);
  }
  void* mapped = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (mapped == MAP_FAILED) _exit(125);
  const char* journal_path = getenv(FAULT_JOURNAL_VARIABLE);
  if (journal_path != NULL) {
    journal = (int)syscall(SYS_openat, AT_FDCWD, journal_path,
                           O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  control = mapped;
}

// SQLite rebuilds its shared memory from the log, so it is not part of the disk's state.
static int is_memory(const char* path) {
  const size_t size = strlen(path);
  return size > 4 && strcmp(path + size - 4, "-shm") == 0;
}

static int is_below(const char* path) {
  if (control == NULL || __atomic_load_n(&control->sockets, __ATOMIC_RELAXED) != 0) return 0;
  const size_t size = strlen(control->directory);
  return size > 0 && strncmp(path, control->directory, size) == 0 &&
         (path[size] == '/' || path[size] == '\0') && !is_memory(path);
}

// The path of an open file, if it counts.
static int file_below(int fd, char path[PATH_MAX]) {
  if (control == NULL) return 0;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t size = readlink(link, path, PATH_MAX - 1);
  if (size <= 0) return 0;
  path[size] = '\0';
  return is_below(path);
}

// One more operation. 0, or the errno that it fails with. The lock is held.
static int visit(int grows) {
  if (grows && __atomic_load_n(&control->full, __ATOMIC_ACQUIRE) != 0) return ENOSPC;
  const uint64_t number = __atomic_add_fetch(&control->operations, 1, __ATOMIC_ACQ_REL);
  if (number != __atomic_load_n(&control->at, __ATOMIC_ACQUIRE)) return 0;
  switch (__atomic_load_n(&control->action, __ATOMIC_ACQUIRE)) {
    case FAULT_KILL:
      syscall(SYS_kill, getpid(), SIGKILL);
      for (;;) pause();
    case FAULT_ERROR:
      return (int)__atomic_load_n(&control->error, __ATOMIC_ACQUIRE);
    default:
      return 0;
  }
}

static void note(enum fault_record_kind kind, const char* path, const char* other, uint64_t offset,
                 const void* data, uint64_t size) {
  if (journal < 0) return;
  const struct fault_record head = {
      kind, (uint32_t)strlen(path), (uint32_t)strlen(other), 0, offset, size};
  const struct iovec parts[] = {{(void*)&head, sizeof head},
                                {(void*)path, head.path_size},
                                {(void*)other, head.other_size},
                                {(void*)data, size}};
  size_t all = 0;
  for (size_t i = 0; i < 4; ++i) all += parts[i].iov_len;
  if (syscall(SYS_writev, journal, parts, 4) != (long)all) {
    fprintf(stderr, "fault shim: the journal cannot be written\n");
    _exit(125);
  }
}

// The whole of an operation on files: `call` is done and noted, or refused.
#define OPERATION(is_growing, call, kind, path, other, offset, data, size) \
  do {                                                                     \
    pthread_mutex_lock(&lock);                                             \
    const int refused = visit(is_growing);                                 \
    const long done = refused != 0 ? -1 : (call);                          \
    const int why = refused != 0 ? refused : errno;                        \
    if (done >= 0) note(kind, path, other, offset, data, size);            \
    pthread_mutex_unlock(&lock);                                           \
    if (done < 0) errno = why;                                             \
    return done;                                                           \
  } while (0)

static long do_open(int at, const char* path, int flags, mode_t mode) {
  struct stat about;
  if ((flags & O_CREAT) == 0 || !is_below(path)) {
    return syscall(SYS_openat, at, path, flags, mode);
  }
  pthread_mutex_lock(&lock);
  const int is_new = stat(path, &about) != 0;
  const int refused = is_new ? visit(1) : 0;
  const long fd = refused != 0 ? -1 : syscall(SYS_openat, at, path, flags, mode);
  const int why = refused != 0 ? refused : errno;
  if (fd >= 0 && is_new) note(FAULT_CREATE, path, "", 0, NULL, 0);
  if (fd >= 0 && !is_new && (flags & O_TRUNC)) note(FAULT_TRUNCATE, path, "", 0, NULL, 0);
  pthread_mutex_unlock(&lock);
  if (fd < 0) errno = why;
  return fd;
}

#define MODE_OF(flags, mode)                      \
  mode_t mode = 0;                                \
  if (((flags)&O_CREAT) || ((flags)&O_TMPFILE)) { \
    va_list arguments;                            \
    va_start(arguments, flags);                   \
    mode = (mode_t)va_arg(arguments, int);        \
    va_end(arguments);                            \
  }

int open(const char* path, int flags, ...) {
  MODE_OF(flags, mode)
  return (int)do_open(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  MODE_OF(flags, mode)
  return (int)do_open(AT_FDCWD, path, flags, mode);
}
int openat(int at, const char* path, int flags, ...) {
  MODE_OF(flags, mode)
  return (int)do_open(at, path, flags, mode);
}
int openat64(int at, const char* path, int flags, ...) {
  MODE_OF(flags, mode)
  return (int)do_open(at, path, flags, mode);
}

// Offset of the next write() without an explicit one.
static uint64_t position_of(int fd) {
  const int flags = fcntl(fd, F_GETFL);
  return (uint64_t)lseek(fd, 0, flags >= 0 && (flags & O_APPEND) ? SEEK_END : SEEK_CUR);
}

// Whether a write makes the file longer. Overwriting succeeds on a full disk.
static int grows(int fd, uint64_t end) {
  struct stat about;
  return fstat(fd, &about) != 0 || end > (uint64_t)about.st_size;
}

static ssize_t do_pwrite(int fd, const void* data, size_t size, uint64_t offset) {
  char path[PATH_MAX];
  if (!file_below(fd, path)) return syscall(SYS_pwrite64, fd, data, size, offset);
  OPERATION(grows(fd, offset + size), syscall(SYS_pwrite64, fd, data, size, offset), FAULT_WRITE,
            path, "", offset, data, (uint64_t)done);
}
ssize_t pwrite(int fd, const void* data, size_t size, off_t offset) {
  return do_pwrite(fd, data, size, (uint64_t)offset);
}
ssize_t pwrite64(int fd, const void* data, size_t size, off_t offset) {
  return do_pwrite(fd, data, size, (uint64_t)offset);
}
// PostgreSQL preallocates its log's files with these. No journal is kept of PostgreSQL.
ssize_t pwritev(int fd, const struct iovec* parts, int count, off_t offset) {
  char path[PATH_MAX];
  uint64_t size = 0;
  for (int i = 0; i < count; ++i) size += parts[i].iov_len;
  if (!file_below(fd, path)) return syscall(SYS_pwritev, fd, parts, count, offset, 0);
  pthread_mutex_lock(&lock);
  const int refused = visit(grows(fd, (uint64_t)offset + size));
  pthread_mutex_unlock(&lock);
  if (refused == 0) return syscall(SYS_pwritev, fd, parts, count, offset, 0);
  errno = refused;
  return -1;
}
ssize_t pwritev64(int fd, const struct iovec* parts, int count, off_t offset) {
  return pwritev(fd, parts, count, offset);
}

ssize_t write(int fd, const void* data, size_t size) {
  char path[PATH_MAX];
  if (!file_below(fd, path)) return syscall(SYS_write, fd, data, size);
  const uint64_t offset = position_of(fd);
  OPERATION(grows(fd, offset + size), syscall(SYS_write, fd, data, size), FAULT_WRITE, path, "",
            offset, data, (uint64_t)done);
}

int ftruncate(int fd, off_t size) {
  char path[PATH_MAX];
  if (!file_below(fd, path)) return (int)syscall(SYS_ftruncate, fd, size);
  OPERATION(0, syscall(SYS_ftruncate, fd, size), FAULT_TRUNCATE, path, "", (uint64_t)size, NULL, 0);
}
int ftruncate64(int fd, off_t size) { return ftruncate(fd, size); }

int fsync(int fd) {
  char path[PATH_MAX];
  if (!file_below(fd, path)) return (int)syscall(SYS_fsync, fd);
  OPERATION(0, syscall(SYS_fsync, fd), FAULT_SYNC, path, "", 0, NULL, 0);
}
int fdatasync(int fd) {
  char path[PATH_MAX];
  if (!file_below(fd, path)) return (int)syscall(SYS_fdatasync, fd);
  OPERATION(0, syscall(SYS_fdatasync, fd), FAULT_SYNC, path, "", 0, NULL, 0);
}

// All files of the file system.
int syncfs(int fd) {
  char path[PATH_MAX];
  if (!file_below(fd, path)) return (int)syscall(SYS_syncfs, fd);
  OPERATION(0, syscall(SYS_syncfs, fd), FAULT_SYNC_ALL, "", "", 0, NULL, 0);
}

int rename(const char* from, const char* to) {
  if (!is_below(from)) return (int)syscall(SYS_rename, from, to);
  OPERATION(1, syscall(SYS_rename, from, to), FAULT_RENAME, from, to, 0, NULL, 0);
}
int unlink(const char* path) {
  if (!is_below(path)) return (int)syscall(SYS_unlink, path);
  OPERATION(0, syscall(SYS_unlink, path), FAULT_UNLINK, path, "", 0, NULL, 0);
}
int remove(const char* path) {
  struct stat about;
  if (lstat(path, &about) == 0 && S_ISDIR(about.st_mode)) return rmdir(path);
  return unlink(path);
}
int mkdir(const char* path, mode_t mode) {
  if (!is_below(path)) return (int)syscall(SYS_mkdir, path, mode);
  OPERATION(1, syscall(SYS_mkdir, path, mode), FAULT_MKDIR, path, "", 0, NULL, 0);
}

static int is_database(int fd) {
  if (control == NULL || __atomic_load_n(&control->sockets, __ATOMIC_RELAXED) == 0) return 0;
  struct sockaddr_storage peer;
  socklen_t size = sizeof peer;
  return getpeername(fd, (struct sockaddr*)&peer, &size) == 0 && peer.ss_family == AF_UNIX;
}

// 0, or the errno for an operation on the database's socket. Errors of a socket end its connection.
static int visit_socket(int fd) {
  pthread_mutex_lock(&lock);
  const uint64_t here = __atomic_load_n(&control->operations, __ATOMIC_ACQUIRE) + 1;
  const int chosen = here == __atomic_load_n(&control->at, __ATOMIC_ACQUIRE);
  int refused = visit(0);
  if (chosen && __atomic_load_n(&control->action, __ATOMIC_ACQUIRE) == FAULT_DISCONNECT) {
    refused = ECONNRESET;
  }
  if (refused != 0) shutdown(fd, SHUT_RDWR);
  pthread_mutex_unlock(&lock);
  return refused;
}

// The database receives sent data even if the connection is cut then.
ssize_t send(int fd, const void* data, size_t size, int flags) {
  const ssize_t sent = syscall(SYS_sendto, fd, data, size, flags, NULL, 0);
  if (sent <= 0 || !is_database(fd)) return sent;
  const int refused = visit_socket(fd);
  if (refused == 0) return sent;
  errno = refused;
  return -1;
}

ssize_t recv(int fd, void* data, size_t size, int flags) {
  const ssize_t got = syscall(SYS_recvfrom, fd, data, size, flags, NULL, NULL);
  if (got <= 0 || (flags & MSG_PEEK) || !is_database(fd)) return got;
  const int refused = visit_socket(fd);
  if (refused == 0) return got;
  errno = refused;
  return -1;
}

static int64_t offset_of(clockid_t clock) {
  const int moved = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  return control == NULL || !moved ? 0 : __atomic_load_n(&control->clock_offset, __ATOMIC_ACQUIRE);
}
int clock_gettime(clockid_t clock, struct timespec* time) {
  const int result = (int)syscall(SYS_clock_gettime, clock, time);
  if (result == 0) time->tv_sec += offset_of(clock);
  return result;
}
int gettimeofday(struct timeval* restrict time, void* restrict zone) {
  const int result = (int)syscall(SYS_gettimeofday, time, zone);
  if (result == 0) time->tv_sec += offset_of(CLOCK_REALTIME);
  return result;
}
time_t time(time_t* result) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}
