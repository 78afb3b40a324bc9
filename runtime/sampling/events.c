#include "runtime/sampling/events.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "runtime/base/syscalls.h"

static int sends_signals(long fd, uint32_t tid) {
  const struct { int32_t type, pid; } owner = {F_OWNER_TID, (int32_t)tid};
  return !GH_FAILED(GH_CALL3(fcntl, fd, F_SETFL, O_ASYNC | O_NONBLOCK)) &&
         !GH_FAILED(GH_CALL3(fcntl, fd, F_SETSIG, GH_SAMPLE_SIGNAL)) &&
         !GH_FAILED(GH_CALL3(fcntl, fd, F_SETOWN_EX, &owner));
}

/* First where the kernel chooses: a refusal, such as that no more memory may be locked, could leave
 * a hole at `where`, which another thread's mapping may fill. */
static void* map_and_enable(long fd, void* where, uint64_t bytes, uint32_t tid) {
  if (tid != 0 && !sends_signals(fd, tid)) return 0;
  const long at = GH_CALL6(mmap, 0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (GH_FAILED(at)) return 0;
  if (where) {
    GH_CALL6(mmap, where, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
    GH_CALL2(munmap, at, bytes);
  }
  GH_CALL3(ioctl, fd, PERF_EVENT_IOC_ENABLE, 0);
  return where ? where : (void*)at;
}

void* gh_event_start(struct perf_event_attr* attributes, void* where, uint64_t bytes,
                     uint32_t tid) {
  attributes->size = PERF_ATTR_SIZE_VER5;
  attributes->disabled = 1;
  attributes->exclude_kernel = 1;
  attributes->exclude_hv = 1;
  const long fd = GH_CALL5(perf_event_open, attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (GH_FAILED(fd)) return 0;
  void* const pages = map_and_enable(fd, where, bytes, tid);
  GH_CALL1(close, fd);
  return pages;
}

void gh_event_stop(void* where, uint64_t bytes) {
  GH_CALL6(mmap, where, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
           0);
}
