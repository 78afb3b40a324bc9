#ifdef __aarch64__

#include "runtime/processor/call_code.h"

int gh_call_before(const unsigned char* code, uint64_t address, struct gh_call* call) {
  (void)code;
  (void)address;
  (void)call;
  return 0;
}

int gh_call_at(const unsigned char* code, uint64_t bytes, uint64_t address, struct gh_call* call) {
  (void)code;
  (void)bytes;
  (void)address;
  (void)call;
  return 0;
}

uint64_t gh_slot_of_plt_entry(const unsigned char* code, uint64_t address) {
  (void)code;
  (void)address;
  return 0;
}

int gh_is_system_call(const unsigned char* code) {
  (void)code;
  return 0;
}

#endif
