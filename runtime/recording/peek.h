/* Memory that may be gone: a plain load would crash should another thread unload the
 * object meanwhile. */
#ifndef GPROFHUB_RUNTIME_RECORDING_PEEK_H_
#define GPROFHUB_RUNTIME_RECORDING_PEEK_H_

#include <stdint.h>

enum { GH_PEEK_MOST = 4096 };

/* Copies `bytes` bytes, at most GH_PEEK_MOST, from `address`; 0 if they are not all there. */
__attribute__((visibility("hidden"))) int gh_peek(uint64_t address, void* to, uint64_t bytes);

#endif
