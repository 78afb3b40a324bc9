/* Reads memory that may be unmapped: a plain load would crash if another thread unloads the
 * object meanwhile. */
#ifndef GPROFHUB_RUNTIME_RECORDING_PEEK_H_
#define GPROFHUB_RUNTIME_RECORDING_PEEK_H_

#include <stdint.h>

enum { GH_PEEK_MOST = 4096 };

/* Copies `bytes` bytes, at most GH_PEEK_MOST, from `address`; 0 unless all are readable. */
__attribute__((visibility("hidden"))) int gh_peek(uint64_t address, void* to, uint64_t bytes);

#endif
