/* Description of a counter in the text: converts the shim's format to the recording's. */
#ifndef GPROFHUB_RUNTIME_COUNTERS_SITES_H_
#define GPROFHUB_RUNTIME_COUNTERS_SITES_H_

#include <stdint.h>

#include "profile/format/recording.h"

/* The shim's description of a counter, in the section gprofhub_sites. Addresses are relative to
 * the field that contains them. Kinds are those of gprofhub_site.
 *   CALL      `site` is the call or jump; its target is read from the code, and from the slot of a
 *             procedure linkage table that the code leads to
 *   TAIL      as CALL
 *   INDIRECT  `site` is the return address of the slow path
 *   0         none: placeholder of a module without other counters
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

/* Converts a site of a loaded module to the recording's, relative to the module's counters; 0:
 * no valid site. */
__attribute__((visibility("hidden"))) int gh_describe_site(const struct gh_counter_set* set,
                                                           const struct gh_image_site* site,
                                                           struct gprofhub_site* out);

/* Completes the descriptions of calls whose slots the dynamic linker has bound since. */
__attribute__((visibility("hidden"))) void gh_sites_bind(void);

#endif
