/* The objects that are loaded when the program starts, described by their dynamic sections.
 * Sources: the System V gABI's chapter on dynamic linking, elf.h. */
#ifndef GPROFHUB_RUNTIME_LIBRARY_CALLS_OBJECTS_H_
#define GPROFHUB_RUNTIME_LIBRARY_CALLS_OBJECTS_H_

#include <elf.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

struct gh_relocations {
  const Elf64_Rela* at;
  uint64_t count;
};

struct gh_object {
  uint64_t bias, low, high;       /* [low, high): its segments */
  uint64_t relro_low, relro_high; /* whole pages that are read-only after the start */
  const Elf64_Phdr* segments;
  uint32_t segment_count;
  const char* strings;
  const Elf64_Sym* symbols;
  const uint16_t* versions; /* by symbol; NULL: no versions */
  const char* needed;       /* Elf64_Verneed */
  const char* defined;      /* Elf64_Verdef */
  const uint32_t* gnu_hash; /* hash tables of its definitions; one of the two may be missing */
  const uint32_t* hash;
  struct gh_relocations plt, others;
};

static inline int gh_object_has(const struct gh_object* object, uint64_t address) {
  return address - object->low < object->high - object->low;
}

/* In the order of symbol lookup, the program first; only the first GH_OBJECTS. The kernel's
 * object is left out, because symbols are never bound to it. */
enum { GH_OBJECTS = 512 };
const struct gh_object* gh_objects(uint32_t* count);

#pragma GCC visibility pop

#endif
