// Checks that reading a file's debugging information entries takes time and memory in proportion to
// its size.
#pragma once

#include "absl/status/status.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {

// DataLoss: the units refer to so much of .debug_abbrev in total that libdw would take more than a
// second per megabyte, and unbounded memory; the output of compilers, linkers and dwz is far below.
// Or, if `needs_all_units`, a unit's header is damaged.
absl::Status CheckDwarfShape(const ElfFile& file, bool needs_all_units);

}  // namespace gprofhub::profile
