/* Calls in machine code: what an instruction at a known address calls. */
#ifndef GPROFHUB_RUNTIME_PROCESSOR_CALL_CODE_H_
#define GPROFHUB_RUNTIME_PROCESSOR_CALL_CODE_H_

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* One of the two is not 0 where the instruction alone tells it. */
struct gh_call {
  uint64_t target; /* where it leads */
  uint64_t slot;   /* or the address of the word that holds that */
};

enum {
  GH_LONGEST_CALL = 8,       /* bytes before a return address that decide whether it is one */
  GH_LONGEST_PLT_ENTRY = 16, /* bytes that lead from a procedure linkage table onwards */
#ifdef __aarch64__
  GH_SYSTEM_CALL_BYTES = 4
#else
  GH_SYSTEM_CALL_BYTES = 2
#endif
};

/* 1 if the last of the GH_LONGEST_CALL bytes at `code` are a call that returns to `address`. */
int gh_call_before(const unsigned char* code, uint64_t address, struct gh_call* call);

/* 1 if a call that leads somewhere begins at `code`, at most `bytes` long, which is at `address`.
 * Asked of any place in the code, also within an instruction. */
int gh_call_at(const unsigned char* code, uint64_t bytes, uint64_t address, struct gh_call* call);

/* The slot that a procedure linkage table's entry, GH_LONGEST_PLT_ENTRY bytes at `address`, jumps
 * through; 0: it is no such entry. */
uint64_t gh_slot_of_plt_entry(const unsigned char* code, uint64_t address);

/* 1 if the GH_SYSTEM_CALL_BYTES bytes are a system call's. */
int gh_is_system_call(const unsigned char* code);

#pragma GCC visibility pop

#endif
