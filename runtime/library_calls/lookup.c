/* Sources: the gABI ("Hash Table"), the Linux Standard Base ("Symbol Versioning"), and for
 * DT_GNU_HASH its announcement on the binutils mailing list. */
#include "runtime/base/text.h"
#include "runtime/library_calls/library_calls.h"

enum { INDEX = 0x7fff, HIDDEN = 0x8000 /* of a version's number */ };

/* The symbol to look up. */
struct wanted {
  const char* name;
  uint32_t gnu_hash, hash; /* of the name */
  const char* version;     /* NULL: any version that is not hidden */
  uint32_t version_hash;
};

static uint32_t gnu_hash_of(const char* name) {
  uint32_t hash = 5381;
  for (; *name; ++name) hash = hash * 33 + (unsigned char)*name;
  return hash;
}

static uint32_t hash_of(const char* name) {
  uint32_t hash = 0;
  for (; *name; ++name) {
    hash = (hash << 4) + (unsigned char)*name;
    const uint32_t high = hash & 0xf0000000;
    hash = (hash ^ high >> 24) & ~high;
  }
  return hash;
}

/* The version that the user requires. */
static void take_version(const struct gh_object* user, uint32_t index, struct wanted* wanted) {
  if (!user->versions || !user->needed) return;
  const uint32_t number = user->versions[index] & INDEX;
  const char* file = user->needed;
  for (;;) {
    const Elf64_Verneed* const needed = (const Elf64_Verneed*)file;
    const char* at = file + needed->vn_aux;
    for (uint32_t i = 0; i < needed->vn_cnt; ++i) {
      const Elf64_Vernaux* const version = (const Elf64_Vernaux*)at;
      if ((version->vna_other & INDEX) == number) {
        wanted->version = user->strings + version->vna_name;
        wanted->version_hash = version->vna_hash;
        return;
      }
      at += version->vna_next;
    }
    if (needed->vn_next == 0) return;
    file += needed->vn_next;
  }
}

static int has_version(const struct gh_object* object, uint32_t number,
                       const struct wanted* wanted) {
  const char* at = object->defined;
  for (;;) {
    const Elf64_Verdef* const version = (const Elf64_Verdef*)at;
    if ((version->vd_ndx & INDEX) == number) {
      const Elf64_Verdaux* const name = (const Elf64_Verdaux*)(at + version->vd_aux);
      return version->vd_hash == wanted->version_hash &&
             gh_equal(object->strings + name->vda_name, wanted->version);
    }
    if (version->vd_next == 0) return 0;
    at += version->vd_next;
  }
}

static int is_wanted(const struct gh_object* object, uint32_t index, const struct wanted* wanted) {
  const Elf64_Sym* const symbol = &object->symbols[index];
  if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_BIND(symbol->st_info) == STB_LOCAL ||
      !gh_equal(object->strings + symbol->st_name, wanted->name)) {
    return 0;
  }
  if (!object->versions || !object->defined) return 1;
  const uint32_t version = object->versions[index];
  if ((version & INDEX) <= VER_NDX_GLOBAL) return !(version & HIDDEN);
  return wanted->version ? has_version(object, version & INDEX, wanted) : !(version & HIDDEN);
}

/* The number of the symbol; 0: not defined in the object. */
static uint32_t find_by_gnu_hash(const struct gh_object* object, const struct wanted* wanted) {
  const uint32_t* const table = object->gnu_hash;
  const uint32_t buckets = table[0], first = table[1], words = table[2], shift = table[3];
  const uint64_t* const filter = (const uint64_t*)(table + 4);
  const uint32_t* const heads = (const uint32_t*)(filter + words);
  const uint32_t* const chains = heads + buckets;
  if (buckets == 0) return 0;
  const uint32_t hash = wanted->gnu_hash;
  const uint64_t word = filter[hash / 64 % words];
  if (!(word >> hash % 64 & word >> (hash >> shift) % 64 & 1)) return 0;
  uint32_t index = heads[hash % buckets];
  if (index < first) return 0;
  for (;; ++index) {
    const uint32_t other = chains[index - first];
    if ((other | 1) == (hash | 1) && is_wanted(object, index, wanted)) return index;
    if (other & 1) return 0;
  }
}

static uint32_t find_by_hash(const struct gh_object* object, const struct wanted* wanted) {
  const uint32_t* const table = object->hash;
  const uint32_t buckets = table[0];
  if (buckets == 0) return 0;
  uint32_t index = table[2 + wanted->hash % buckets];
  while (index && !is_wanted(object, index, wanted)) index = table[2 + buckets + index];
  return index;
}

int gh_find_definition(const struct gh_object* user, uint32_t index, struct gh_definition* found) {
  struct wanted wanted = {0};
  wanted.name = user->strings + user->symbols[index].st_name;
  wanted.gnu_hash = gnu_hash_of(wanted.name);
  wanted.hash = hash_of(wanted.name);
  take_version(user, index, &wanted);
  uint32_t count;
  const struct gh_object* const objects = gh_objects(&count);
  for (uint32_t i = 0; i < count; ++i) {
    const struct gh_object* const object = &objects[i];
    const uint32_t at = object->gnu_hash ? find_by_gnu_hash(object, &wanted)
                        : object->hash   ? find_by_hash(object, &wanted)
                                         : 0;
    if (at == 0) continue;
    found->object = object;
    found->symbol = &object->symbols[at];
    found->address = object->bias + found->symbol->st_value;
    return 1;
  }
  return 0;
}
