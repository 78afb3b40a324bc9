/* Which function of which object a symbol stands for, as the dynamic linker would find it. */
#ifndef GPROFHUB_RUNTIME_LIBRARY_CALLS_LOOKUP_H_
#define GPROFHUB_RUNTIME_LIBRARY_CALLS_LOOKUP_H_

#include <elf.h>
#include <stdint.h>

#include "runtime/library_calls/objects.h"

#pragma GCC visibility push(hidden)

struct gh_definition {
  const struct gh_object* object;
  const Elf64_Sym* symbol;
  uint64_t address; /* of an indirect function the resolver's */
};

/* The definition of what `user` calls its symbol number `index`: the first among the objects with
 * that name, and that version if it asks for one. 0: there is none. */
int gh_find_definition(const struct gh_object* user, uint32_t index, struct gh_definition* found);

#pragma GCC visibility pop

#endif
