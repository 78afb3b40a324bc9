// Symbols and lines of an ELF file and its DWARF debug information, through
// elfutils. Client side only: the server reads symbol bundles instead.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

struct ElfReadOptions {
  // Read DWARF lines. Otherwise local functions get only the source file in the symbol table.
  bool with_lines = true;
  // Also map inlined code to lines of the code around it (SymbolTable::call_lines).
  bool with_call_lines = false;
  // Also read the functions that code comes from, including inlined ones (SymbolTable::scopes).
  bool with_scopes = false;
  // Also read each function's compiler, whether calls of it were inlined, and into which functions.
  bool with_toolchains = false;
  // Source files with their compilation directory.
  bool absolute_files = false;
  // A file without function symbols is not an error.
  bool may_be_stripped = false;
};

// Every named symbol in an executable section: from .symtab, otherwise from that of the separate
// debug file (profile/elf/sections.h), otherwise from .dynsym and .gnu_debugdata
// (profile/elf/sections.h). Section and file symbols are left out, symbol versions cut off. For
// any class and byte order. Source files are named as on the compiler's command line (relative to
// its working directory if they are below it), so that they do not depend on where the build ran. A
// file without DWARF gives no lines.
//
// InvalidArgument: not a linked ELF file. FailedPrecondition: it has no function symbols, and must
// have them. DataLoss: cut off or damaged. NotFound, PermissionDenied, …: it cannot be opened.
// Every message names the file and a remedy.
absl::StatusOr<SymbolTable> ReadElfSymbols(const std::string& path,
                                           const ElfReadOptions& options = {});

// The same for a file in memory; `name` is for messages and image_name.
absl::StatusOr<SymbolTable> ReadElfSymbolsFromBytes(std::string bytes, const std::string& name,
                                                    const ElfReadOptions& options = {});

// The GNU build-id as lower-case hexadecimal; empty if the file has none.
absl::StatusOr<std::string> ReadElfBuildId(const std::string& path);

}  // namespace gprofhub::profile
