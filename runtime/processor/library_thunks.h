/* The processor's part of counting calls of library functions (runtime/library_calls): thunks,
 * which count a call and jump to the function, and the slots that may lead to one. Also included
 * in assembly. */
#ifndef GPROFHUB_RUNTIME_PROCESSOR_LIBRARY_THUNKS_H_
#define GPROFHUB_RUNTIME_PROCESSOR_LIBRARY_THUNKS_H_

/* Maximum number of different functions. A thunk takes up to 96 bytes of each program's text. */
#define GH_LIBRARY_THUNKS 1024

#ifndef __ASSEMBLER__

#include <elf.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Data of a thunk's function. library_call_stubs_*.inc have the same layout. */
struct gh_library_entry {
  uint64_t mix;    /* gh_mix(self, 0), recording/table.h */
  uint64_t target; /* where the thunk jumps */
  uint64_t self;   /* callee that the call is attributed to */
};
extern struct gh_library_entry gh_library_entries[GH_LIBRARY_THUNKS];

/* Consecutive, GH_LIBRARY_THUNK_BYTES each; the first uses the first entry. */
extern const char gh_library_thunks[];

enum {
  GH_SLOT_NONE,     /* not a slot of a function */
  GH_SLOT_OF_CALLS, /* of the procedure linkage table: code only calls through it */
  GH_SLOT_ANY       /* code calls through it, or takes the function's address from it */
};

/* Kind of the GOT slot that a relocation of this type (ELF64_R_TYPE) fills. */
int gh_slot_of(uint32_t relocation_type);

/* Whether a thunk may call the function: it must use the standard calling convention. */
int gh_symbol_is_ordinary(const Elf64_Sym* symbol);

/* The function of a symbol of type STT_GNU_IFUNC, according to its resolver. */
uint64_t gh_resolve_indirect(uint64_t resolver);

enum { GH_USED_BY_CALLS = 2, GH_USED_OTHERWISE = 4 };

/* Finds out how the code in [code, code + bytes) uses the `count` slots from `slots` on: adds
 * GH_USED_… to uses[i] of each, if that is not 0. Adds nothing where calls cannot be
 * distinguished from other uses. */
void gh_note_slot_uses(const unsigned char* code, uint64_t bytes, uint64_t slots, uint64_t count,
                       uint8_t* uses);

#pragma GCC visibility pop

#endif

#endif
