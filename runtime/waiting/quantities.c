#include "runtime/waiting/quantities.h"

#include "runtime/gprofhub.h"
#include "runtime/recording/counts.h"
#include "runtime/recording/recording.h"
#include "runtime/sampling/ring.h"

GPROFHUB_QUANTITY(gprofhub_waiting_microseconds)
GPROFHUB_QUANTITY(gprofhub_system_microseconds)

void gh_add_microseconds(struct gprofhub_thread* self, void (*quantity)(void), uint64_t caller,
                         uint64_t microseconds) {
  if (caller == 0) caller = GPROFHUB_CALLER_UNKNOWN;
  if (gh_counting_off || gh_sampling_off || microseconds == 0) return;
  if (caller != GPROFHUB_CALLER_UNKNOWN && !gh_in_range(caller)) return;
  if (gh_count(self, GPROFHUB_ARCS, (uint64_t)quantity, caller, microseconds, 0) < 0) {
    gh_lose(GPROFHUB_LOST_ARCS, 1);
  }
}
