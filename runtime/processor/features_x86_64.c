/* Sources: the manuals of Intel and AMD on CPUID and XGETBV. */
#include <stddef.h>
#include <stdint.h>

#include "runtime/processor/features.h"
#include "runtime/processor/processor.h"

#ifdef __x86_64__

const char gh_architecture[] = "x86_64";

enum { EAX, EBX, ECX, EDX, REGISTERS };

static void ask(uint32_t leaf, uint32_t subleaf, uint32_t registers[REGISTERS]) {
  __asm__ volatile("cpuid"
                   : "=a"(registers[EAX]), "=b"(registers[EBX]), "=c"(registers[ECX]),
                     "=d"(registers[EDX])
                   : "0"(leaf), "2"(subleaf));
}

/* Registers of the state that the kernel saves: the lower half of XCR0. */
static uint32_t saved_state(void) {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

enum word {
  LEAF_1_ECX,
  LEAF_1_EDX,
  LEAF_7_EBX,
  LEAF_7_EDX,
  LEAF_13_EAX, /* of subleaf 1 */
  EXTENDED_ECX,
  WORDS
};

enum { EXTENDED = 0x80000000u, OSXSAVE = 27, VENDOR_BYTES = 12, BRAND_BYTES = 48 };
/* What a feature needs saved: nothing; the halves of vectors; those, masks and their upper parts.
 */
enum { NOTHING = 0, VECTORS = 0x6, LONG_VECTORS = 0xe6 };

static const struct {
  const char* name;
  uint8_t word;
  uint8_t bit;
  uint8_t state;
} kFeatures[] = {
    {"SSE2", LEAF_1_EDX, 26, NOTHING},          {"SSE3", LEAF_1_ECX, 0, NOTHING},
    {"SSSE3", LEAF_1_ECX, 9, NOTHING},          {"SSE4_1", LEAF_1_ECX, 19, NOTHING},
    {"SSE4_2", LEAF_1_ECX, 20, NOTHING},        {"CMPXCHG16B", LEAF_1_ECX, 13, NOTHING},
    {"MOVBE", LEAF_1_ECX, 22, NOTHING},         {"POPCNT", LEAF_1_ECX, 23, NOTHING},
    {"LZCNT", EXTENDED_ECX, 5, NOTHING},        {"BMI1", LEAF_7_EBX, 3, NOTHING},
    {"BMI2", LEAF_7_EBX, 8, NOTHING},           {"ERMS", LEAF_7_EBX, 9, NOTHING},
    {"FSRM", LEAF_7_EDX, 4, NOTHING},           {"RTM", LEAF_7_EBX, 11, NOTHING},
    {"OSXSAVE", LEAF_1_ECX, OSXSAVE, NOTHING},  {"XSAVEC", LEAF_13_EAX, 1, NOTHING},
    {"AVX", LEAF_1_ECX, 28, VECTORS},           {"AVX2", LEAF_7_EBX, 5, VECTORS},
    {"F16C", LEAF_1_ECX, 29, VECTORS},          {"FMA", LEAF_1_ECX, 12, VECTORS},
    {"FMA4", EXTENDED_ECX, 16, VECTORS},        {"XOP", EXTENDED_ECX, 11, VECTORS},
    {"AVX512F", LEAF_7_EBX, 16, LONG_VECTORS},  {"AVX512DQ", LEAF_7_EBX, 17, LONG_VECTORS},
    {"AVX512CD", LEAF_7_EBX, 28, LONG_VECTORS}, {"AVX512BW", LEAF_7_EBX, 30, LONG_VECTORS},
    {"AVX512VL", LEAF_7_EBX, 31, LONG_VECTORS},
};

static void read_words(uint32_t words[WORDS]) {
  uint32_t first[REGISTERS], answer[REGISTERS];
  gh_clear(words, WORDS * sizeof words[0]);
  ask(0, 0, first);
  ask(1, 0, answer);
  words[LEAF_1_ECX] = answer[ECX];
  words[LEAF_1_EDX] = answer[EDX];
  if (first[EAX] >= 7) {
    ask(7, 0, answer);
    words[LEAF_7_EBX] = answer[EBX];
    words[LEAF_7_EDX] = answer[EDX];
  }
  if (first[EAX] >= 13) {
    ask(13, 1, answer);
    words[LEAF_13_EAX] = answer[EAX];
  }
  ask(EXTENDED, 0, first);
  if (first[EAX] <= EXTENDED) return;
  ask(EXTENDED + 1, 0, answer);
  words[EXTENDED_ECX] = answer[ECX];
}

void gh_processor_features(void (*visit)(void* context, const char* name), void* context) {
  uint32_t words[WORDS];
  read_words(words);
  const uint32_t state = words[LEAF_1_ECX] >> OSXSAVE & 1 ? saved_state() : 0;
  for (size_t i = 0; i < sizeof kFeatures / sizeof kFeatures[0]; ++i) {
    const uint32_t needed = kFeatures[i].state;
    if ((words[kFeatures[i].word] >> kFeatures[i].bit & 1) == 0 || (state & needed) != needed) {
      continue;
    }
    visit(context, kFeatures[i].name);
  }
}

void gh_processor_name(char name[GH_PROCESSOR_NAME_BYTES]) {
  uint32_t answer[REGISTERS];
  ask(0, 0, answer);
  gh_copy(name, &answer[EBX], 4);
  gh_copy(name + 4, &answer[EDX], 4);
  gh_copy(name + 8, &answer[ECX], 4);
  name[VENDOR_BYTES] = 0;
  ask(EXTENDED, 0, answer);
  if (answer[EAX] < EXTENDED + 4) return;
  char brand[BRAND_BYTES + 1];
  for (uint32_t part = 0; part < 3; ++part) {
    ask(EXTENDED + 2 + part, 0, answer);
    gh_copy(brand + part * sizeof answer, answer, sizeof answer);
  }
  brand[BRAND_BYTES] = 0;
  const char* from = brand; /* some begin with spaces, all may end with them */
  while (*from == ' ') ++from;
  size_t length = 0;
  for (size_t i = 0; from[i]; ++i) {
    if (from[i] != ' ') length = i + 1;
  }
  if (length == 0) return;
  name[VENDOR_BYTES] = ' ';
  gh_copy(name + VENDOR_BYTES + 1, from, length);
  name[VENDOR_BYTES + 1 + length] = 0;
}

/* QEMU's own translator has this signature of a hypervisor, also where it emulates a process and
 * reports no hypervisor. */
const char* gh_processor_emulator(void) {
  enum { HYPERVISOR = 0x40000000u };
  static const char kSignature[VENDOR_BYTES + 1] = "TCGTCGTCGTCG";
  uint32_t answer[REGISTERS];
  ask(HYPERVISOR, 0, answer);
  const char* const signature = (const char*)&answer[EBX];
  for (int i = 0; i < VENDOR_BYTES; ++i) {
    if (signature[i] != kSignature[i]) return 0;
  }
  return "QEMU";
}

#endif
