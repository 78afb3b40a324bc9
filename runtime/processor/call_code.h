/* Decodes calls in machine code: the target of an instruction at a known address. */
#ifndef GPROFHUB_RUNTIME_PROCESSOR_CALL_CODE_H_
#define GPROFHUB_RUNTIME_PROCESSOR_CALL_CODE_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* One of the two is not 0 if the instruction alone determines the target. */
struct gh_call {
  uint64_t target; /* target address */
  uint64_t slot;   /* or the address of the word that contains it */
};

enum {
  GH_LONGEST_CALL = 8,       /* bytes before a return address that decide whether it is one */
  GH_LONGEST_PLT_ENTRY = 16, /* bytes of a procedure linkage table's entry */
#ifdef __aarch64__
  GH_SYSTEM_CALL_BYTES = 4
#else
  GH_SYSTEM_CALL_BYTES = 2
#endif
};

/* 1 if the last of the GH_LONGEST_CALL bytes at `code` are a call that returns to `address`. */
int gh_call_before(const unsigned char* code, uint64_t address, struct gh_call* call);

/* 1 if a call with a known target begins at `code`, at most `bytes` long, which is at `address`.
 * May be used at any place in the code, also inside an instruction. */
int gh_call_at(const unsigned char* code, uint64_t bytes, uint64_t address, struct gh_call* call);

/* The slot that a procedure linkage table's entry, GH_LONGEST_PLT_ENTRY bytes at `address`,
 * jumps through; 0: not such an entry. */
uint64_t gh_slot_of_plt_entry(const unsigned char* code, uint64_t address);

/* The function that a call of `address`, which must be code, reaches: `address` itself, or through
 * entries of procedure linkage tables what their slots contain. An undefined weak function has an
 * empty slot: the result is the entry. */
static inline uint64_t gh_function_at(uint64_t address) {
  enum { LOWEST = 0x10000, DEPTH = 4 }; /* no code is below LOWEST */
  for (int i = 0; i < DEPTH && address >= LOWEST; ++i) {
    const uint64_t slot = gh_slot_of_plt_entry((const unsigned char*)address, address);
    if (slot == 0 || *(const uint64_t*)slot < LOWEST) break;
    address = *(const uint64_t*)slot;
  }
  return address;
}

/* 1 if the GH_SYSTEM_CALL_BYTES bytes are a system call's. */
int gh_is_system_call(const unsigned char* code);

#pragma GCC visibility pop

#endif
