// Functions of an ELF file's DWARF debug information, inlined ones too: whose
// code an address really is.
#pragma once

#include "absl/status/status.h"
#include "profile/elf/file.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// Fills symbols.scopes and symbols.scope_names. Addresses outside
// [symbols.text_low, symbols.text_high) are left out. A file without debug
// information changes nothing. DataLoss: the debug information is damaged.
absl::Status ReadDwarfScopes(const ElfFile& file, SymbolTable& symbols);

}  // namespace gprofhub::profile
