/* What a counter in the text counts: from the shim's words to the recording's. */
#ifndef GPROFHUB_RUNTIME_COUNTERS_SITES_H_
#define GPROFHUB_RUNTIME_COUNTERS_SITES_H_

#include "profile/recording_format.h"
#include "runtime/counters/counters.h"

/* Turns a site of a loaded module into that of the recording, relative to the
 * module's counters; 0: there is none. */
__attribute__((visibility("hidden"))) int gh_describe_site(const struct gh_counter_set* set,
                                                           const struct gh_image_site* site,
                                                           struct gprofhub_site* out);

#endif
