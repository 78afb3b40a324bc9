/* Sources: the Arm Architecture Reference Manual on MIDR_EL1; the kernel's documentation of
 * hwcaps, and of reading identification registers (cpu-feature-registers). */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/processor/features.h"
#include "runtime/processor/machine.h"

#ifdef __aarch64__

const char gh_architecture[] = "aarch64";

enum { IDENTIFIES = 11 }; /* of AT_HWCAP: the kernel lets programs read MIDR_EL1 */

static const struct {
  const char* name;
  uint16_t word;
  uint8_t bit;
} kFeatures[] = {
    {"CRC32", AT_HWCAP, 7}, {"ATOMICS", AT_HWCAP, 8}, {"SVE", AT_HWCAP, 22},
    {"SVE2", AT_HWCAP2, 1}, {"MTE", AT_HWCAP2, 18},   {"MOPS", AT_HWCAP2, 43},
};

void gh_processor_features(void (*visit)(void* context, const char* name), void* context) {
  for (size_t i = 0; i < sizeof kFeatures / sizeof kFeatures[0]; ++i) {
    if (gh_auxiliary(kFeatures[i].word) >> kFeatures[i].bit & 1) visit(context, kFeatures[i].name);
  }
}

static char* put(char* at, const char* text) {
  while (*text) *at++ = *text++;
  *at = 0;
  return at;
}

static char* put_hex(char* at, uint64_t number, int digits) {
  at = put(at, "0x");
  for (int i = digits - 1; i >= 0; --i) *at++ = "0123456789abcdef"[number >> 4 * i & 15];
  *at = 0;
  return at;
}

void gh_processor_name(char name[GH_PROCESSOR_NAME_BYTES]) {
  name[0] = 0;
  if ((gh_auxiliary(AT_HWCAP) >> IDENTIFIES & 1) == 0) return;
  uint64_t identity;
  __asm__("mrs %0, MIDR_EL1" : "=r"(identity));
  char* at = put(name, "implementer ");
  at = put_hex(at, identity >> 24 & 0xff, 2);
  at = put(at, " part ");
  put_hex(at, identity >> 4 & 0xfff, 3);
}

const char* gh_processor_emulator(void) { return 0; }

#endif
