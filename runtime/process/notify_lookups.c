#include <netdb.h>

#include "runtime/process/notifications.h"

GH_WRAP(getaddrinfo_a, (int mode, struct gaicb** list, int count, struct sigevent* event), {
  struct sigevent own;
  return __real_getaddrinfo_a(mode, list, count, gh_counted_event(&own, event));
})
