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

/* Counts from before the runtime's start are attributed to the calling thread. A module that is
 * loaded again has none, and its thread's counters continue. */
static void take_early_counts(const struct gprofhub_thread* self,
                              const struct gh_counter_set* set) {
  const uint64_t displacement = self->displacement;
  for (char* at = set->counters; displacement && at != set->counters_end; at += sizeof(uint64_t)) {
    if (*(uint64_t*)at) *(uint64_t*)(at + displacement) = *(uint64_t*)at;
  }
}

/* The program's own, if it has counters. */
#define BOUND(type, name) extern type name __attribute__((weak, visibility("hidden")))
BOUND(char, __start_gprofhub_counters[]);
BOUND(char, __stop_gprofhub_counters[]);
BOUND(const struct gh_image_site, __start_gprofhub_sites[]);
BOUND(const struct gh_image_site, __stop_gprofhub_sites[]);

/* A shared object's constructors run before the program's, and then the thread has its counters.
 * So the program's code, of which some may run before its own call of this, needs them, too. */
void gprofhub_register_counters(char* counters, char* counters_end,
                                const struct gh_image_site* sites,
                                const struct gh_image_site* sites_end) {
  static int program_is_known;
  const struct gh_counter_set set = {counters, counters_end, sites, sites_end};
  const struct gh_counter_set program = {__start_gprofhub_counters, __stop_gprofhub_counters,
                                         __start_gprofhub_sites, __stop_gprofhub_sites};
  const struct gh_signals signals = gh_block_signals();
  const int adds_program = program.counters && !program_is_known;
  const int adds_set = counters != program.counters;
  program_is_known = 1;
  if (adds_program) gh_counters_add(&program);
  if (adds_set) gh_counters_add(&set);
  struct gprofhub_thread* const self = gh_thread_self();
  if (self) {
    gh_counters_begin(self);
    if (adds_program) take_early_counts(self, &program);
    if (adds_set) take_early_counts(self, &set);
  }
  gh_restore_signals(signals);
  gh_start();
  if (&gh_pthread_hook == 0) {
    gh_complain(GH_THREADS, "calls of threads may be lost",
                "the program or a sanitizer defines pthread_create; link with "
                "-Wl,--undefined=gh_pthread_hook, or use --config=gprof_mcount");
  }
}
