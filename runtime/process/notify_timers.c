#include <time.h>

#include "runtime/process/notifications.h"

GH_WRAP(timer_create, (clockid_t clock, struct sigevent* event, timer_t* timer), {
  struct sigevent own;
  return __real_timer_create(clock, gh_counted_event(&own, event), timer);
})
