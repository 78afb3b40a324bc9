/* The runtime's own work within a thread of the program: samples of it are the runtime's cost, not
 * the program's, and no listing has its functions. */
#ifndef GPROFHUB_RUNTIME_PROCESS_OWN_TIME_H_
#define GPROFHUB_RUNTIME_PROCESS_OWN_TIME_H_

#include <stdint.h>

#include "runtime/recording/thread_records.h"
#include "runtime/sampling/ring.h"
#include "runtime/sampling/sampler.h"

/* Samples in between are the runtime's, wherever they are. Samples in a ring are identified by the
 * ring's position, which is known once the thread and its process have one (gh_own_time_since). The
 * pairs may be nested. */
static inline void gh_own_time_begin(void) {
  if (gh_tls.inside == 0) *(volatile uint64_t*)&gh_tls.before = UINT64_MAX;
  *(volatile uint32_t*)&gh_tls.inside += 1;
}

/* The thread's record is known. */
static inline void gh_own_time_since(struct gprofhub_thread* self) {
  if (self && gh_tls.before == UINT64_MAX) gh_tls.before = gh_ring_head(self);
}

static inline void gh_own_time_end(void) {
  *(volatile uint32_t*)&gh_tls.inside -= 1;
  if (gh_tls.inside == 0 && gh_tls.before != UINT64_MAX) {
    gh_sampler_take_own(gh_tls.thread, gh_tls.before);
  }
}

#endif
