// Maps code to the function that it comes from, including inlined ones, by an ELF file's DWARF
// debug information.
#pragma once

#include "absl/status/status.h"
#include "profile/elf/file.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// Fills symbols.scopes and symbols.scope_names. Addresses outside [symbols.text_low,
// symbols.text_high) are left out. No effect on a file without debug information. DataLoss: the
// debug information is damaged.
absl::Status ReadDwarfScopes(const ElfFile& file, SymbolTable& symbols);

}  // namespace gprofhub::profile
