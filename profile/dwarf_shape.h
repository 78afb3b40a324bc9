// Whether reading a file's DWARF takes time and memory in proportion to its size.
#pragma once

#include "absl/status/status.h"
#include "profile/elf_file.h"

namespace gprofhub {

// DataLoss: the units name so much of .debug_abbrev, each for itself, or line tables
// in such an order, that libdw would take longer than a second for a megabyte, and
// memory beyond any measure. What compilers, linkers and dwz write is far below.
absl::Status CheckDwarfShape(const ElfFile& file);

}  // namespace gprofhub
