/* The histogram records of a gmon file. */
#ifndef GPROFHUB_RUNTIME_GMON_HISTOGRAM_H_
#define GPROFHUB_RUNTIME_GMON_HISTOGRAM_H_

#include "profile/recording/format.h"
#include "runtime/gmon/output.h"

/* Adds the samples in `module`. */
__attribute__((visibility("hidden"))) void gh_put_histogram(struct gh_output* out,
                                                            const struct gprofhub_module* module);

#endif
