#include <mqueue.h>

#include "runtime/process/notifications.h"

GH_WRAP(mq_notify, (mqd_t queue, const struct sigevent* event), {
  struct sigevent own;
  return __real_mq_notify(queue, gh_counted_event(&own, event));
})
