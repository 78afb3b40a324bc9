// Symbols that a distribution keeps in stripped files: the section .gnu_debugdata is an ELF file,
// compressed with xz, whose .symtab has the functions that .dynsym lacks. Source: GDB's manual,
// "Debugging information in a special section".
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {

// Opens that file; null without such a section. DataLoss: it does not inflate, or inflates to more
// than 32 times the size of `file` plus a megabyte; or it is not an ELF file.
absl::StatusOr<std::unique_ptr<ElfFile>> OpenMiniSymbols(const ElfFile& file);

}  // namespace gprofhub::profile
