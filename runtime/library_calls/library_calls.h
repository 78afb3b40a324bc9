/* GPROFHUB_LIBRARY_CALLS=1: calls of functions of other objects that have no counters are
 * counted where they leave the caller's object, in its GOT. */
#ifndef GPROFHUB_RUNTIME_LIBRARY_CALLS_LIBRARY_CALLS_H_
#define GPROFHUB_RUNTIME_LIBRARY_CALLS_LIBRARY_CALLS_H_

#include <elf.h>
#include <stdint.h>

#include "runtime/library_calls/objects.h"

#pragma GCC visibility push(hidden)

/* Installs thunks (processor/library_thunks.h) in the GOTs of the program and of those of its
 * libraries whose own functions are counted. Once, when the process starts and has a recording. */
void gh_library_calls_begin(void);

/* Resolves a symbol to a function of an object, as the dynamic linker would. */
struct gh_definition {
  const struct gh_object* object;
  const Elf64_Sym* symbol;
  uint64_t address; /* for an indirect function the resolver's */
};

/* Finds the definition of `user`'s symbol number `index`: the first object that defines the
 * name, in the required version if there is one. 0: not found. */
int gh_find_definition(const struct gh_object* user, uint32_t index, struct gh_definition* found);

#pragma GCC visibility pop

#endif
