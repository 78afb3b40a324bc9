/* The module map: address ranges of objects, with their build-ids. */
#ifndef GPROFHUB_RUNTIME_RECORDING_MODULES_H_
#define GPROFHUB_RUNTIME_RECORDING_MODULES_H_

#include <stdint.h>

#include "profile/format/recording.h"

#pragma GCC visibility push(hidden)

/* Makes sure that the object at `pc` is described. Cheap if it is; otherwise reads the process's
 * map again. Async-signal-safe. */
void gh_modules_note(uint64_t pc);

/* Reads the process's map. Marks objects that are gone as unloaded; with keep_addresses,
 * reserves their addresses. */
void gh_modules_refresh(int keep_addresses);

/* Call before an object is loaded: `name` is the argument of dlopen. Releases the addresses of
 * unloaded objects that this may load again, so that the kernel assigns the same ones. */
void gh_modules_expect(const char* name);

/* Describes the ELF object whose first page is at `low`, if its executable segment is really mapped
 * at [code_low, code_high); otherwise returns 0. Files that are merely mapped for reading fail that
 * test. Not thread-safe. */
int gh_describe_elf(struct gprofhub_module* module, uint64_t low, uint64_t code_low,
                    uint64_t code_high);

/* Describes the ELF file at `path`, as if loaded at 0, and identifies the file; 0: not an ELF
 * file. Not thread-safe. */
int gh_describe_file(struct gprofhub_module* module, const char* path);

/* All modules described so far. */
uint32_t gh_module_count(void);
struct gprofhub_module* gh_module_at(uint32_t index);

/* The module at `pc`, loaded ones first; NULL if unknown. */
struct gprofhub_module* gh_module_find(uint64_t pc);

/* 0: unloaded. Its addresses, which are reserved, remain its own. */
int gh_module_is_loaded(const struct gprofhub_module* module);

/* The first record of the same object: an object that was loaded at several addresses has
 * several. */
const struct gprofhub_module* gh_module_first(const struct gprofhub_module* module);

void gh_modules_after_fork(void);

/* Bounds of the counting stubs (arc_stubs_x86_64.S). */
extern const char gh_stubs_begin[], gh_stubs_end[];

#pragma GCC visibility pop

#endif
