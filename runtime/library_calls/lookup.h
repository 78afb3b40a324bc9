/* Resolves a symbol to a function of an object, as the dynamic linker would. */
#ifndef GPROFHUB_RUNTIME_LIBRARY_CALLS_LOOKUP_H_
#define GPROFHUB_RUNTIME_LIBRARY_CALLS_LOOKUP_H_

#include <elf.h>
#include <stdint.h>

#include "runtime/library_calls/objects.h"

#pragma GCC visibility push(hidden)

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
