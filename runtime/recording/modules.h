/* The module map: which addresses belong to which object, with its build-id. */
#ifndef GPROFHUB_RUNTIME_RECORDING_MODULES_H_
#define GPROFHUB_RUNTIME_RECORDING_MODULES_H_

#include <stdint.h>

#include "profile/recording/format.h"

#pragma GCC visibility push(hidden)

/* Makes sure that the object at `pc` is described. Cheap where it is;
 * otherwise reads the process's map anew. Async-signal-safe. */
void gh_modules_note(uint64_t pc);

/* Reads the process's map; objects that are gone are marked unloaded, and with
 * keep_addresses nothing else will be loaded where they were. */
void gh_modules_refresh(int keep_addresses);

/* All modules described so far. */
uint32_t gh_module_count(void);
struct gprofhub_module* gh_module_at(uint32_t index);

/* The module at `pc`, loaded ones first; NULL if none is known. */
struct gprofhub_module* gh_module_find(uint64_t pc);

void gh_modules_after_fork(void);

/* Where the counting stubs begin and end (arc_stubs_x86_64.S). */
extern const char gh_stubs_begin[], gh_stubs_end[];

#pragma GCC visibility pop

#endif
