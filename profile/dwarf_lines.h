// Lines of an ELF file's DWARF debug information, versions 2 to 5.
#pragma once

#include "absl/status/status.h"
#include "profile/elf_file.h"
#include "profile/symbols.h"

namespace gprofhub {

// Whether the file itself has line information.
bool HasLines(const ElfFile& file);

// Fills symbols.lines and the file and line of symbols.functions, whose
// addresses and text range are set already. A file without line information
// changes nothing. File names are relative to the compiler's working directory
// if they lie below it, unless absolute_files. DataLoss: the debug information
// is damaged.
absl::Status ReadDwarfLines(const ElfFile& file, SymbolTable& symbols, bool absolute_files = false);

}  // namespace gprofhub
