// Symbols that a distribution leaves in what it strips: the section .gnu_debugdata is an ELF file
// of its own, compressed with xz, whose .symtab has the functions that .dynsym has not. Source:
// GDB's manual, "Debugging information in a special section".
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {

// That file, opened; null where there is no such section. DataLoss: it does not inflate, or to
// more than 32 times the size of `file` and a megabyte; or it is no ELF file.
absl::StatusOr<std::unique_ptr<ElfFile>> OpenMiniSymbols(const ElfFile& file);

}  // namespace gprofhub::profile
