/* Conditions for giving a slot of a GOT a thunk:
 *
 * - Its symbol is defined in another object. A call of an object's own function needs no GOT, or
 *   is counted when the function begins.
 * - Its target is in an object whose functions are not counted when they begin. Otherwise each
 *   call would count twice.
 * - The code only makes calls through it. Code that takes the function's address from it must
 *   get the function: another object may compare the two.
 *
 * A slot that is not bound yet leads into the object's own procedure linkage table. The dynamic
 * linker would overwrite a thunk there when it binds the slot, so the function is looked up here
 * (lookup.h). An existing binding is kept. */
#include "runtime/library_calls/library_calls.h"

#include <sys/mman.h>

#include "runtime/base/complain.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/library_calls/objects.h"
#include "runtime/processor/library_thunks.h"
#include "runtime/recording/table.h"

static uint8_t counts_callees[GH_OBJECTS]; /* by object */
static uint32_t thunks;                    /* in use */
static int has_refused;

static void complain(const char* what, const char* why) {
  gh_complain(GH_LIBRARY_CALLS, what, why);
}

/* Functions that compilers call to count: an object that imports one counts its own functions. */
static int is_counter(const char* name) {
  static const char* const kCounters[] = {"mcount", "_mcount", "__fentry__",
                                          "__sanitizer_cov_trace_pc"};
  for (uint32_t i = 0; i < sizeof kCounters / sizeof kCounters[0]; ++i) {
    if (gh_equal(name, kCounters[i])) return 1;
  }
  return gh_after(name, "gprofhub_") != 0;
}

/* Calls without a line in the source: the compiler's, the start-up files', and those of this
 * runtime where it replaces malloc (runtime/allocations). */
static int is_made_by_compiler(const char* name) {
  return gh_equal(name, "__tls_get_addr") || gh_equal(name, "__cxa_finalize") ||
         gh_equal(name, "__gmon_start__") || gh_after(name, "_ITM_") || gh_after(name, "__libc_");
}

static const char* name_of(const struct gh_object* object, const Elf64_Rela* relocation) {
  return object->strings + object->symbols[ELF64_R_SYM(relocation->r_info)].st_name;
}

static int is_slot(const Elf64_Rela* relocation) {
  return gh_slot_of((uint32_t)ELF64_R_TYPE(relocation->r_info)) != GH_SLOT_NONE;
}

static int imports_counter(const struct gh_object* object, struct gh_relocations relocations) {
  for (uint64_t i = 0; i < relocations.count; ++i) {
    const Elf64_Rela* const relocation = &relocations.at[i];
    if (is_slot(relocation) && is_counter(name_of(object, relocation))) return 1;
  }
  return 0;
}

/* The thunk of a function; 0: none left. */
static uint64_t thunk_of(uint64_t self, uint64_t target) {
  uint32_t i = 0;
  while (i < thunks &&
         (gh_library_entries[i].self != self || gh_library_entries[i].target != target)) {
    ++i;
  }
  if (i == GH_LIBRARY_THUNKS) {
    complain("some calls of library functions are not counted",
             "the program calls too many different functions");
    return 0;
  }
  if (i == thunks) {
    gh_library_entries[i] = (struct gh_library_entry){gh_mix(self, 0), target, self};
    thunks += 1;
  }
  return (uint64_t)gh_library_thunks + (uint64_t)i * GH_LIBRARY_THUNK_BYTES;
}

/* The target of a slot, and the callee that its calls are attributed to: the address of its
 * name, which .dynsym has. The resolved code of an indirect function has no name there. */
struct function {
  uint64_t self, target;
};

static int counts_its_callees(uint64_t address) {
  uint32_t count;
  const struct gh_object* const objects = gh_objects(&count);
  for (uint32_t i = 0; i < count; ++i) {
    if (gh_object_has(&objects[i], address)) return counts_callees[i];
  }
  return 0;
}

/* 0: calls through the slot are not counted. */
static int find_function(const struct gh_object* object, const Elf64_Rela* relocation,
                         struct function* function) {
  const uint32_t index = (uint32_t)ELF64_R_SYM(relocation->r_info);
  const uint64_t value = *(const uint64_t*)(object->bias + relocation->r_offset);
  struct gh_definition found;
  if (object->symbols[index].st_shndx != SHN_UNDEF || value == 0 ||
      is_counter(name_of(object, relocation)) || is_made_by_compiler(name_of(object, relocation)) ||
      !gh_find_definition(object, index, &found) || !gh_symbol_is_ordinary(found.symbol)) {
    return 0;
  }
  const unsigned type = ELF64_ST_TYPE(found.symbol->st_info);
  const int is_indirect = type == STT_GNU_IFUNC;
  if (type != STT_FUNC && !is_indirect) return 0;
  const int is_bound = !gh_object_has(object, value);
  if (counts_its_callees(is_bound ? value : found.address)) return 0;
  function->target = is_bound      ? value
                     : is_indirect ? gh_resolve_indirect(found.address)
                                   : found.address;
  function->self = is_indirect ? found.address : function->target;
  return 1;
}

/* Some slots are read-only after the start; they are made writable for this function only. */
struct patch {
  const struct gh_object* object;
  int is_open;
};

static int set_protection(const struct gh_object* object, int protection) {
  return !GH_FAILED(
      GH_CALL3(mprotect, object->relro_low, object->relro_high - object->relro_low, protection));
}

static void put_thunk(struct patch* patch, const Elf64_Rela* relocation) {
  const struct gh_object* const object = patch->object;
  uint64_t* const slot = (uint64_t*)(object->bias + relocation->r_offset);
  struct function function;
  if (!find_function(object, relocation, &function)) return;
  const uint64_t thunk = thunk_of(function.self, function.target);
  if (!thunk) return;
  const uint64_t relro_bytes = object->relro_high - object->relro_low;
  if ((uint64_t)slot - object->relro_low < relro_bytes && !patch->is_open) {
    if (has_refused) return;
    if (!set_protection(object, PROT_READ | PROT_WRITE)) {
      has_refused = 1;
      complain("some calls of library functions are not counted", "cannot make the GOT writable");
      return;
    }
    patch->is_open = 1;
  }
  __atomic_store_n(slot, thunk, __ATOMIC_RELEASE);
}

/* The slots outside the procedure linkage table: of code compiled with -fno-plt, and with -z now
 * also of functions whose address is taken. */
struct slots {
  uint64_t low, count;
  uint8_t* uses; /* not 0: the slot of a function that could be counted */
};

static void scan_code(const struct gh_object* object, const struct slots* slots) {
  for (uint32_t i = 0; i < object->segment_count; ++i) {
    const Elf64_Phdr* const segment = &object->segments[i];
    if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
    gh_note_slot_uses((const unsigned char*)(object->bias + segment->p_vaddr), segment->p_filesz,
                      slots->low, slots->count, slots->uses);
  }
}

static uint8_t* use_of(const struct slots* slots, const struct gh_object* object,
                       const Elf64_Rela* relocation) {
  if (gh_slot_of((uint32_t)ELF64_R_TYPE(relocation->r_info)) != GH_SLOT_ANY) return 0;
  const uint64_t at = object->bias + relocation->r_offset;
  return &slots->uses[(at - slots->low) / sizeof(uint64_t)];
}

static struct slots range_of_slots(const struct gh_object* object) {
  uint64_t low = UINT64_MAX, high = 0;
  for (uint64_t i = 0; i < object->others.count; ++i) {
    const Elf64_Rela* const relocation = &object->others.at[i];
    if (gh_slot_of((uint32_t)ELF64_R_TYPE(relocation->r_info)) != GH_SLOT_ANY) continue;
    const uint64_t at = object->bias + relocation->r_offset;
    if (at < low) low = at;
    if (at + sizeof(uint64_t) > high) high = at + sizeof(uint64_t);
  }
  return (struct slots){low, low < high ? (high - low) / sizeof(uint64_t) : 0, 0};
}

static void put_thunks_where_called(struct patch* patch, const struct slots* slots) {
  const struct gh_object* const object = patch->object;
  uint64_t candidates = 0;
  for (uint64_t i = 0; i < object->others.count; ++i) {
    const Elf64_Rela* const relocation = &object->others.at[i];
    uint8_t* const use = use_of(slots, object, relocation);
    struct function function;
    if (!use || !find_function(object, relocation, &function)) continue;
    *use = 1;
    ++candidates;
  }
  if (candidates == 0) return;
  scan_code(object, slots);
  for (uint64_t i = 0; i < object->others.count; ++i) {
    const Elf64_Rela* const relocation = &object->others.at[i];
    const uint8_t* const use = use_of(slots, object, relocation);
    if (use && *use == (1 | GH_USED_BY_CALLS)) put_thunk(patch, relocation);
  }
}

static void patch_others(struct patch* patch) {
  struct slots slots = range_of_slots(patch->object);
  if (slots.count == 0) return;
  const long memory =
      GH_CALL6(mmap, 0, slots.count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (GH_FAILED(memory)) return;
  slots.uses = (uint8_t*)memory;
  put_thunks_where_called(patch, &slots);
  GH_CALL2(munmap, memory, slots.count);
}

static void patch_object(const struct gh_object* object) {
  struct patch patch = {object, 0};
  for (uint64_t i = 0; i < object->plt.count; ++i) {
    if (is_slot(&object->plt.at[i])) put_thunk(&patch, &object->plt.at[i]);
  }
  patch_others(&patch);
  if (patch.is_open) set_protection(object, PROT_READ);
}

void gh_library_calls_begin(void) {
  uint32_t count;
  const struct gh_object* const objects = gh_objects(&count);
  if (count < 2) {
    complain("GPROFHUB_LIBRARY_CALLS has no effect", "the program is linked statically");
    return;
  }
  int is_profiled[GH_OBJECTS];
  for (uint32_t i = 0; i < count; ++i) {
    is_profiled[i] = i == 0 || imports_counter(&objects[i], objects[i].plt) ||
                     imports_counter(&objects[i], objects[i].others);
    counts_callees[i] = (uint8_t)(is_profiled[i] || gh_object_has(&objects[i], (uint64_t)&thunks));
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (is_profiled[i]) patch_object(&objects[i]);
  }
}
