// Lines of an ELF file's DWARF debug information, versions 2 to 5.
#pragma once

#include "absl/status/status.h"
#include "profile/elf/file.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

struct LineReadOptions {
  // File names include the compilation directory, even below it.
  bool absolute_files = false;
};

// Whether the file itself has line information.
bool HasLines(const ElfFile& file);

// Fills symbols.lines and the file and line of symbols.functions, whose addresses and text range
// must be set already. No effect on a file without line information. File names are relative to the
// compilation directory if they are below it. DataLoss: the debug information is damaged.
absl::Status ReadDwarfLines(const ElfFile& file, SymbolTable& symbols,
                            const LineReadOptions& options = {});

}  // namespace gprofhub::profile
