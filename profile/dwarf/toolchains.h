// The compiler of each function, and the functions that were inlined.
#pragma once

#include "absl/status/status.h"
#include "profile/elf/file.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// Fills SymbolTable::toolchains, SymbolTable::inlined and, for symbols.functions, which must have
// been read, `toolchain` and `never_inlined`. At most 1,000 toolchains; functions of further ones
// have none. No effect on a file without debug information. DataLoss: the debug information is
// damaged.
absl::Status ReadDwarfToolchains(const ElfFile& file, SymbolTable& symbols);

}  // namespace gprofhub::profile
