/* What a module whose calls were counted by the assembler shim calls first of
 * all: its constructor is written by runtime/assembler. */
#include "runtime/counters.h"
#include "runtime/threads.h"

/* Calls of these also make the linker take the files that define them. */
__attribute__((visibility("hidden"))) void gh_pthread_hook(void);
__attribute__((visibility("hidden"))) void gh_start(void);

__attribute__((visibility("default"))) void gprofhub_register_counters(
    char* counters, char* counters_end, const struct gh_image_site* sites,
    const struct gh_image_site* sites_end);

void gprofhub_register_counters(char* counters, char* counters_end,
                                const struct gh_image_site* sites,
                                const struct gh_image_site* sites_end) {
  gh_pthread_hook();
  const struct gh_counter_set set = {counters, counters_end, sites, sites_end};
  gh_counters_add(&set);
  gh_start();
}
