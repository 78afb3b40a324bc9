// What compiled each function, and which functions were inlined.
#pragma once

#include "absl/status/status.h"
#include "profile/elf/file.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

// Fills SymbolTable::toolchains and, of symbols.functions, which have been read, `toolchain` and
// `never_inlined`; and SymbolTable::inlined. At most 1,000 toolchains; what is of another is of
// none. A file without debug information changes nothing. DataLoss: the debug information is
// damaged.
absl::Status ReadDwarfToolchains(const ElfFile& file, SymbolTable& symbols);

}  // namespace gprofhub::profile
