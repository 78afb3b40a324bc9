// Functions of 64-bit PowerPC programs of the old ABI (ELFv1), whose symbols lead to
// descriptors in the section .opd instead of to code.
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
  size_t index = 0;  // among the file's sections; 0: the file has none
  uint64_t address = 0;
  const Elf_Data* data = nullptr;
};

// DataLoss: it cannot be read.
absl::StatusOr<DescriptorSection> FindDescriptors(const ElfFile& file);

// The address of the code that a descriptor leads to, if it leads to an executable section.
std::optional<uint64_t> CodeOf(const ElfFile& file, const DescriptorSection& section,
                               uint64_t descriptor);

// Adds the functions that the symbols of .opd, in the symbol table's order, lead to.
// They are named as objdump and GNU gprof name them: with a dot before the name. Of the
// symbols of one descriptor the first that is global and not weak names the function,
// else the first. Where symbols.functions has a symbol at the function's address, the
// symbol table names the code itself, and nothing is added; nor where a descriptor
// leads out of the executable sections. They stand in the table from `table_index` on.
void AddDescribedFunctions(const ElfFile& file, const DescriptorSection& section,
                           std::vector<FunctionSymbol> described, uint32_t table_index,
                           SymbolTable& symbols);

}  // namespace gprofhub::profile
