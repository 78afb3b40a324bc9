// Compares the look-up with the dynamic linker's bindings of this program's symbols.
#include <elf.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>

extern "C" {
#include "runtime/library_calls/library_calls.h"
#include "runtime/library_calls/objects.h"
#include "runtime/processor/library_thunks.h"
}

namespace {

// Bound at the start: the program is linked with -z now.
struct Bound {
  std::set<std::string> names;
  int indirect = 0;
};

void Compare(const gh_object& program, gh_relocations relocations, Bound& bound) {
  for (uint64_t i = 0; i < relocations.count; ++i) {
    const Elf64_Rela& relocation = relocations.at[i];
    const uint32_t index = ELF64_R_SYM(relocation.r_info);
    const Elf64_Sym& symbol = program.symbols[index];
    if (gh_slot_of(ELF64_R_TYPE(relocation.r_info)) == GH_SLOT_NONE ||
        symbol.st_shndx != SHN_UNDEF || ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) {
      continue;
    }
    const uint64_t value = *reinterpret_cast<const uint64_t*>(program.bias + relocation.r_offset);
    if (value == 0) continue;
    const std::string name = program.strings + symbol.st_name;
    gh_definition found = {};
    ASSERT_TRUE(gh_find_definition(&program, index, &found)) << name;
    EXPECT_EQ(name, found.object->strings + found.symbol->st_name);
    const bool is_indirect = ELF64_ST_TYPE(found.symbol->st_info) == STT_GNU_IFUNC;
    EXPECT_EQ(is_indirect ? gh_resolve_indirect(found.address) : found.address, value) << name;
    bound.names.insert(name);
    bound.indirect += is_indirect;
  }
}

TEST(FindDefinition, FindsWhatTheDynamicLinkerBound) {
  uint32_t count = 0;
  const gh_object* const objects = gh_objects(&count);
  ASSERT_GE(count, 3u) << "the program, libstdc++ and libc";
  EXPECT_TRUE(gh_object_has(&objects[0], reinterpret_cast<uint64_t>(&Compare)));
  Bound bound;
  Compare(objects[0], objects[0].plt, bound);
  Compare(objects[0], objects[0].others, bound);
  EXPECT_GT(bound.names.size(), 30u);
  EXPECT_GE(bound.indirect, 1) << "memcpy or the like";
  EXPECT_EQ(bound.names.count("_Znwm"), 1u) << "of libstdc++";
  EXPECT_EQ(bound.names.count("memcpy"), 1u) << "it has two versions";
}

TEST(FindDefinition, SaysThatThereIsNone) {
  static const char kStrings[] = "\0no_such_function_anywhere";
  Elf64_Sym symbols[2] = {};
  symbols[1].st_name = 1;
  gh_object user = {};
  user.strings = kStrings;
  user.symbols = symbols;
  gh_definition found = {};
  EXPECT_FALSE(gh_find_definition(&user, 1, &found));
}

#ifdef __x86_64__
TEST(NoteSlotUses, TellsCallsFromAddressesThatAreTaken) {
  // Their operands are after them: three slots from `code + 32` on.
  alignas(8) unsigned char code[64] = {};
  const auto put = [&](int at, unsigned char opcode, unsigned char mode, int slot) {
    const int32_t distance = 32 + 8 * slot - (at + 6);
    code[at] = opcode;
    code[at + 1] = mode;
    memcpy(code + at + 2, &distance, sizeof distance);
  };
  put(1, 0xff, 0x15, 0);   // call *slot(%rip)
  put(8, 0xff, 0x25, 1);   // jmp *slot(%rip)
  put(15, 0x8b, 0x05, 1);  // mov slot(%rip), %rax
  put(22, 0xff, 0x15, 2);
  uint8_t uses[3] = {1, 1, 0};
  gh_note_slot_uses(code, 32, reinterpret_cast<uint64_t>(code) + 32, 3, uses);
  EXPECT_EQ(uses[0], 1 | GH_USED_BY_CALLS);
  EXPECT_EQ(uses[1], 1 | GH_USED_BY_CALLS | GH_USED_OTHERWISE);
  EXPECT_EQ(uses[2], 0) << "nobody asked for it";
}
#endif

}  // namespace
