// Lines of an ELF file's DWARF debug information, versions 2 to 5.
#pragma once

#include "absl/status/status.h"
#include "profile/elf/file.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// Maps inlined code to a line of the code that it was inlined into.

// Fills symbols.call_lines, by symbols.lines. Addresses outside [symbols.text_low,
// symbols.text_high) are left out. File names as in ReadDwarfLines, without absolute_files. No
// effect on a file without debug information. DataLoss: the debug information is damaged.
absl::Status ReadDwarfCallLines(const ElfFile& file, SymbolTable& symbols);

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

// Maps code to the function that it comes from, including inlined ones, by an ELF file's DWARF
// debug information.

// Fills symbols.scopes and symbols.scope_names. Addresses outside [symbols.text_low,
// symbols.text_high) are left out. No effect on a file without debug information. DataLoss: the
// debug information is damaged.
absl::Status ReadDwarfScopes(const ElfFile& file, SymbolTable& symbols);

// Checks that reading a file's debugging information entries takes time and memory in proportion to
// its size.

// DataLoss: the units refer to so much of .debug_abbrev in total that libdw would take more than a
// second per megabyte, and unbounded memory; the output of compilers, linkers and dwz is far below.
// Or, if `needs_all_units`, a unit's header is damaged.
absl::Status CheckDwarfShape(const ElfFile& file, bool needs_all_units);

}  // namespace gprofhub::profile
