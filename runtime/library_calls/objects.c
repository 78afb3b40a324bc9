#include "runtime/library_calls/objects.h"

#include <link.h>

#include "runtime/processor/machine.h"
#include "runtime/processor/processor.h" /* IWYU pragma: keep: gh_clear */

/* Weak: a static program may lack it, and has no relevant GOT. */
extern int dl_iterate_phdr(int (*callback)(struct dl_phdr_info*, size_t, void*), void*)
    __attribute__((weak));

static struct gh_object objects[GH_OBJECTS];
static uint32_t count;

/* glibc has made the section's pointers absolute; other libraries leave them as linked. */
static uint64_t absolute(const struct gh_object* object, uint64_t pointer) {
  return pointer < object->low ? object->bias + pointer : pointer;
}

static void read_dynamic(struct gh_object* object, const Elf64_Dyn* entry) {
  uint64_t plt_is_rela = 0;
  for (; entry->d_tag != DT_NULL; ++entry) {
    const uint64_t value = entry->d_un.d_val;
    const uint64_t at = absolute(object, value);
    switch (entry->d_tag) {
      case DT_STRTAB:
        object->strings = (const char*)at;
        break;
      case DT_SYMTAB:
        object->symbols = (const Elf64_Sym*)at;
        break;
      case DT_VERSYM:
        object->versions = (const uint16_t*)at;
        break;
      case DT_VERNEED:
        object->needed = (const char*)at;
        break;
      case DT_VERDEF:
        object->defined = (const char*)at;
        break;
      case DT_GNU_HASH:
        object->gnu_hash = (const uint32_t*)at;
        break;
      case DT_HASH:
        object->hash = (const uint32_t*)at;
        break;
      case DT_JMPREL:
        object->plt.at = (const Elf64_Rela*)at;
        break;
      case DT_PLTRELSZ:
        object->plt.count = value / sizeof(Elf64_Rela);
        break;
      case DT_PLTREL:
        plt_is_rela = value == DT_RELA;
        break;
      case DT_RELA:
        object->others.at = (const Elf64_Rela*)at;
        break;
      case DT_RELASZ:
        object->others.count = value / sizeof(Elf64_Rela);
        break;
      default:
        break;
    }
  }
  if (!plt_is_rela || !object->plt.at) object->plt.count = 0;
  if (!object->others.at) object->others.count = 0;
}

static int add(struct dl_phdr_info* info, size_t bytes, void* kernels_object) {
  (void)bytes;
  if (count == GH_OBJECTS) return 1;
  struct gh_object* const object = &objects[count];
  const uint64_t page = gh_page_bytes();
  const Elf64_Dyn* dynamic = 0;
  gh_clear(object, sizeof *object);
  object->bias = info->dlpi_addr;
  object->segments = info->dlpi_phdr;
  object->segment_count = info->dlpi_phnum;
  object->low = UINT64_MAX;
  for (uint32_t i = 0; i < object->segment_count; ++i) {
    const Elf64_Phdr* const segment = &object->segments[i];
    const uint64_t low = object->bias + segment->p_vaddr;
    const uint64_t high = low + segment->p_memsz;
    if (segment->p_type == PT_LOAD) {
      if (low < object->low) object->low = low;
      if (high > object->high) object->high = high;
    } else if (segment->p_type == PT_DYNAMIC) {
      dynamic = (const Elf64_Dyn*)low;
    } else if (segment->p_type == PT_GNU_RELRO) {
      object->relro_low = low & ~(page - 1);
      object->relro_high = high & ~(page - 1);
    }
  }
  if (!dynamic || gh_object_has(object, (uint64_t)kernels_object)) return 0;
  read_dynamic(object, dynamic);
  if (object->strings && object->symbols) ++count;
  return 0;
}

const struct gh_object* gh_objects(uint32_t* objects_found) {
  if (count == 0 && &dl_iterate_phdr != 0) {
    dl_iterate_phdr(add, (void*)gh_auxiliary(AT_SYSINFO_EHDR));
  }
  *objects_found = count;
  return objects;
}
