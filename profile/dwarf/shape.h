// Whether reading a file's debugging information entries takes time and memory in
// proportion to its size.
#pragma once

#include "absl/status/status.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {

// DataLoss: the units name so much of .debug_abbrev, each for itself, that libdw would take
// longer than a second for a megabyte, and memory beyond any measure; what compilers,
// linkers and dwz write is far below. Or, if `needs_all_units`, the header of one of them is
// damaged.
absl::Status CheckDwarfShape(const ElfFile& file, bool needs_all_units);

}  // namespace gprofhub::profile
