// Symbols and lines of an ELF file and its DWARF debug information, through
// elfutils. Client side only: the server reads symbol bundles instead.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "profile/symbols.h"

namespace gprofhub::profile {

struct ElfReadOptions {
  // Read DWARF lines too. Without them, local functions still get the source
  // file that the symbol table names.
  bool with_lines = true;
  // Read which lines stand for inlined code (SymbolTable::call_lines), too.
  bool with_call_lines = false;
  // Read which functions were inlined where (SymbolTable::scopes), too.
  bool with_scopes = false;
  // Read what compiled each function, whether calls of it were inlined, and where, too.
  bool with_toolchains = false;
  // Source files with the directory that they were compiled in.
  bool absolute_files = false;
  // That the file has no function symbols is no error.
  bool may_be_stripped = false;
};

// Every named symbol that lies in an executable section: from .symtab, else from that of the
// separate debug file (profile/elf/debug_file.h), else from .dynsym and .gnu_debugdata
// (profile/elf/mini_symbols.h). Section and file symbols are left out, symbol versions cut off.
// Of any class and byte order. Source files are as the compiler was given them
// (relative to its working directory where they lie below it), so that they do
// not depend on where the build ran. A file without DWARF gives no lines.
//
// InvalidArgument: not a linked ELF file. FailedPrecondition: it has no
// function symbols, and must have them. DataLoss: cut off or damaged. NotFound, PermissionDenied,
// …: it cannot be opened. Every message names the file and what to do.
absl::StatusOr<SymbolTable> ReadElfSymbols(const std::string& path,
                                           const ElfReadOptions& options = {});

// The same of a file in memory; `name` is for messages and image_name.
absl::StatusOr<SymbolTable> ReadElfSymbolsFromBytes(std::string bytes, const std::string& name,
                                                    const ElfReadOptions& options = {});

// The GNU build-id as lower-case hexadecimal; empty if the file has none.
absl::StatusOr<std::string> ReadElfBuildId(const std::string& path);

}  // namespace gprofhub::profile
