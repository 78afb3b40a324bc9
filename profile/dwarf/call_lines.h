// Maps inlined code to the line of the function that it was inlined into.
#pragma once

#include "absl/status/status.h"
#include "profile/elf/file.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// Fills symbols.call_lines. Addresses outside [symbols.text_low, symbols.text_high) are left out.
// File names as in ReadDwarfLines, without absolute_files. No effect on a file without debug
// information. DataLoss: the debug information is damaged.
absl::Status ReadDwarfCallLines(const ElfFile& file, SymbolTable& symbols);

}  // namespace gprofhub::profile
