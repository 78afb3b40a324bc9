#include "runtime/sampling/events.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>

#include "runtime/base/syscalls.h"

/* The lowest descriptor number that we use, to stay clear of a program that relies on low ones.
 * 0: the limit is too low to share. */
static uint64_t descriptor_floor(void) {
  enum { FEW = 128, MANY = 2048, FLOOR_OF_MANY = 1000 };
  struct rlimit limit;
  if (GH_FAILED(GH_CALL4(prlimit64, 0, RLIMIT_NOFILE, 0, &limit))) return FLOOR_OF_MANY;
  if (limit.rlim_cur < FEW) return 0;
  return limit.rlim_cur < MANY ? limit.rlim_cur / 2 : FLOOR_OF_MANY;
}

struct gh_event gh_event_open(struct perf_event_attr* attributes) {
  struct gh_event event = {-1, 0};
  const uint64_t floor = descriptor_floor();
  if (floor == 0) return event;
  attributes->size = PERF_ATTR_SIZE_VER5;
  attributes->disabled = 1;
  attributes->exclude_kernel = 1;
  attributes->exclude_hv = 1;
  const long fd = GH_CALL5(perf_event_open, attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (GH_FAILED(fd)) return event;
  const long moved = GH_CALL3(fcntl, fd, F_DUPFD_CLOEXEC, floor);
  GH_CALL1(close, fd);
  if (GH_FAILED(moved)) return event;
  event.fd = (int32_t)moved;
  GH_CALL3(ioctl, event.fd, PERF_EVENT_IOC_ID, &event.id);
  return event;
}

int gh_event_signal(struct gh_event event, uint32_t tid) {
  const struct { int32_t type, pid; } owner = {F_OWNER_TID, (int32_t)tid};
  return !GH_FAILED(GH_CALL3(fcntl, event.fd, F_SETFL, O_ASYNC | O_NONBLOCK)) &&
         !GH_FAILED(GH_CALL3(fcntl, event.fd, F_SETSIG, GH_SAMPLE_SIGNAL)) &&
         !GH_FAILED(GH_CALL3(fcntl, event.fd, F_SETOWN_EX, &owner));
}

void gh_event_set_period(struct gh_event event, uint64_t period) {
  GH_CALL3(ioctl, event.fd, PERF_EVENT_IOC_PERIOD, &period);
}

void gh_event_switch(struct gh_event event, int on) {
  GH_CALL3(ioctl, event.fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void gh_event_close(struct gh_event event) {
  uint64_t id = 0;
  if (event.fd >= 0 && !GH_FAILED(GH_CALL3(ioctl, event.fd, PERF_EVENT_IOC_ID, &id)) &&
      id == event.id) {
    GH_CALL1(close, event.fd);
  }
}
