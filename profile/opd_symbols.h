// Functions of 64-bit PowerPC programs of the old ABI (ELFv1), whose symbols lead to
// descriptors in the section .opd instead of to code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "profile/elf_file.h"
#include "profile/symbols.h"

namespace gprofhub {

// The index of .opd among the file's sections; 0 if the file has none.
size_t DescriptorSection(const ElfFile& file);

// Adds the functions that the symbols of .opd, in the symbol table's order, lead to.
// They are named as objdump and GNU gprof name them: with a dot before the name. Of the
// symbols of one descriptor the first that is global and not weak names the function,
// else the first. Where symbols.functions has a symbol at the function's address, the
// symbol table names the code itself, and nothing is added; nor where a descriptor
// leads out of the executable sections. They stand in the table from `table_index` on.
// DataLoss: .opd cannot be read.
absl::Status AddDescribedFunctions(const ElfFile& file, size_t section,
                                   std::vector<FunctionSymbol> described, uint32_t table_index,
                                   SymbolTable& symbols);

}  // namespace gprofhub
