/* What a loaded ELF object says of itself. */
#ifndef GPROFHUB_RUNTIME_RECORDING_ELF_OBJECT_H_
#define GPROFHUB_RUNTIME_RECORDING_ELF_OBJECT_H_

#include <stdint.h>

#include "profile/recording/format.h"

/* Describes the ELF object whose first page is at `low`, if its executable
 * segment really is mapped at [code_low, code_high); 0 otherwise. Files that are
 * merely mapped for reading fail that test. One caller at a time. */
__attribute__((visibility("hidden"))) int gh_describe_elf(struct gprofhub_module* module,
                                                          uint64_t low, uint64_t code_low,
                                                          uint64_t code_high);

#endif
