/* What counted calls of library functions (runtime/library_calls) ask of a processor: thunks, which
 * count a call and go on to the function, and what may lead to one. Assembly reads it, too. */
#ifndef GPROFHUB_RUNTIME_PROCESSOR_LIBRARY_THUNKS_H_
#define GPROFHUB_RUNTIME_PROCESSOR_LIBRARY_THUNKS_H_

/* How many different functions can be counted. A thunk takes up to 96 bytes of each program's text.
 */
#define GH_LIBRARY_THUNKS 1024

#ifndef __ASSEMBLER__

#include <elf.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* What a thunk knows of its function. library_call_stubs_*.inc have the same. */
struct gh_library_entry {
  uint64_t mix;    /* gh_mix(self, 0), recording/table.h */
  uint64_t target; /* where the thunk goes on */
  uint64_t self;   /* what the call is counted as a call of */
};
extern struct gh_library_entry gh_library_entries[GH_LIBRARY_THUNKS];

/* One after the other, GH_LIBRARY_THUNK_BYTES each; the first goes by the first entry. */
extern const char gh_library_thunks[];

enum {
  GH_SLOT_NONE,     /* no slot of a function */
  GH_SLOT_OF_CALLS, /* of the procedure linkage table: code does nothing but call through it */
  GH_SLOT_ANY       /* code calls through it, or takes the function's address from it */
};

/* What slot of the GOT a relocation of this type (ELF64_R_TYPE) fills. */
int gh_slot_of(uint32_t relocation_type);

/* Whether a function may be called by a thunk: it has no way of its own to use registers. */
int gh_symbol_is_ordinary(const Elf64_Sym* symbol);

/* The function that a symbol of type STT_GNU_IFUNC stands for, as its resolver says. */
uint64_t gh_resolve_indirect(uint64_t resolver);

enum { GH_USED_BY_CALLS = 2, GH_USED_OTHERWISE = 4 };

/* Looks how the code in [code, code + bytes) uses the `count` slots from `slots` on: adds
 * GH_USED_… to uses[i] of each, if that is not 0. Nothing is added where calls cannot be told from
 * other uses. */
void gh_note_slot_uses(const unsigned char* code, uint64_t bytes, uint64_t slots, uint64_t count,
                       uint8_t* uses);

#pragma GCC visibility pop

#endif

#endif
