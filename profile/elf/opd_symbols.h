// Functions of 64-bit PowerPC programs of the old ABI (ELFv1), whose symbols refer to descriptors
// in the section .opd instead of to code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "profile/elf/file.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// The section .opd.
struct DescriptorSection {
  size_t index = 0;  // section index; 0: the file has none
  uint64_t address = 0;
  const Elf_Data* data = nullptr;
};

// DataLoss: it cannot be read.
absl::StatusOr<DescriptorSection> FindDescriptors(const ElfFile& file);

// The code address in a descriptor, if it is in an executable section.
std::optional<uint64_t> CodeOf(const ElfFile& file, const DescriptorSection& section,
                               uint64_t descriptor);

// Adds the functions of the symbols of .opd, in the symbol table's order. They are named as objdump
// and GNU gprof name them: with a dot before the name. Of the symbols of one descriptor the first
// that is global and not weak names the function, otherwise the first. Nothing is added if
// symbols.functions has a symbol at the function's address, because the symbol table then names the
// code itself; nor if a descriptor refers to an address outside the executable sections. Their
// table indices begin at `table_index`.
void AddDescribedFunctions(const ElfFile& file, const DescriptorSection& section,
                           std::vector<FunctionSymbol> described, uint32_t table_index,
                           SymbolTable& symbols);

}  // namespace gprofhub::profile
