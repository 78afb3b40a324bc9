/* What a counter in the text counts: from the shim's words to the recording's. */
#ifndef GPROFHUB_RUNTIME_COUNTERS_SITES_H_
#define GPROFHUB_RUNTIME_COUNTERS_SITES_H_

#include <stdint.h>

#include "profile/recording/format.h"

/* What the shim says of a counter, in the section gprofhub_sites. Addresses are
 * relative to the field that holds them. Kinds are those of gprofhub_site.
 *   CALL      `site` is the call or jump; where it leads is read from the code
 *   TAIL      likewise
 *   INDIRECT  `site` is where the slow way returns to
 *   0         none: it stands for a module that has no other
 *   others    `site` is the function or block */
struct gh_image_site {
  int32_t counter;
  int32_t site;
  uint32_t kind;
};

/* A module's counters and sites, between the linker's __start_ and __stop_. */
struct gh_counter_set {
  char* counters;
  char* counters_end;
  const struct gh_image_site* sites;
  const struct gh_image_site* sites_end;
};

/* Turns a site of a loaded module into that of the recording, relative to the
 * module's counters; 0: there is none. */
__attribute__((visibility("hidden"))) int gh_describe_site(const struct gh_counter_set* set,
                                                           const struct gh_image_site* site,
                                                           struct gprofhub_site* out);

#endif
