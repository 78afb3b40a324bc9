// Which line of a function stands for code that was inlined into it.
#pragma once

#include "absl/status/status.h"
#include "profile/elf/file.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// Fills symbols.call_lines. Addresses outside [symbols.text_low, symbols.text_high) are
// left out. File names as ReadDwarfLines gives them, without absolute_files. A file
// without debug information changes nothing. DataLoss: the debug information is damaged.
absl::Status ReadDwarfCallLines(const ElfFile& file, SymbolTable& symbols);

}  // namespace gprofhub::profile
