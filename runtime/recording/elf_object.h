/* Reads the description in a loaded ELF object. */
#ifndef GPROFHUB_RUNTIME_RECORDING_ELF_OBJECT_H_
#define GPROFHUB_RUNTIME_RECORDING_ELF_OBJECT_H_

#include <stdint.h>

#include "profile/recording/format.h"

/* Describes the ELF object whose first page is at `low`, if its executable segment is really
 * mapped at [code_low, code_high); otherwise returns 0. Files that are merely mapped for reading
 * fail that test. Not thread-safe. */
__attribute__((visibility("hidden"))) int gh_describe_elf(struct gprofhub_module* module,
                                                          uint64_t low, uint64_t code_low,
                                                          uint64_t code_high);

#endif
