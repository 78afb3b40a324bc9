/* First call of a module whose calls the assembler shim counts: from a constructor that
 * runtime/assembler writes. */
#include "runtime/base/complain.h"
#include "runtime/base/signals.h"
#include "runtime/counters/counters.h"
#include "runtime/process/start.h"
#include "runtime/process/threads.h"

__attribute__((visibility("default"))) void gprofhub_register_counters(
    char* counters, char* counters_end, const struct gh_image_site* sites,
    const struct gh_image_site* sites_end);

/* Counts from before the runtime's start are attributed to the calling thread. */
static void take_early_counts(const struct gprofhub_thread* self,
                              const struct gh_counter_set* set) {
  const uint64_t displacement = self->displacement;
  for (char* at = set->counters; displacement && at != set->counters_end; at += sizeof(uint64_t)) {
    *(uint64_t*)(at + displacement) = *(uint64_t*)at;
  }
}

void gprofhub_register_counters(char* counters, char* counters_end,
                                const struct gh_image_site* sites,
                                const struct gh_image_site* sites_end) {
  const struct gh_counter_set set = {counters, counters_end, sites, sites_end};
  const struct gh_signals signals = gh_block_signals();
  gh_counters_add(&set);
  struct gprofhub_thread* self = gh_thread_self();
  if (self) {
    gh_counters_begin(self);
    take_early_counts(self, &set);
  }
  gh_restore_signals(signals);
  gh_start();
  if (&gh_pthread_hook == 0) {
    gh_complain(GH_THREADS, "calls of threads may be lost",
                "the program or a sanitizer defines pthread_create; link with "
                "-Wl,--undefined=gh_pthread_hook, or use --config=gprof_mcount");
  }
}
