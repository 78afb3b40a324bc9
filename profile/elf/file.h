// An opened ELF file: what reading symbols and reading lines share.
#pragma once

#include <gelf.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/system/file_descriptor.h"

namespace gprofhub::profile {

struct ElfCloser {
  void operator()(Elf* elf) const { elf_end(elf); }
};

struct ElfSection {
  Elf_Scn* handle = nullptr;  // owned by the file
  absl::string_view name;     // the file's; of a longer one the first 256 bytes
  GElf_Shdr header;
};

// A linked ELF file (an executable or a shared library) whose section table
// lies within the file.
struct ElfFile {
  std::string path;         // for messages
  base::FileDescriptor fd;  // outlives `elf`
  std::string memory;       // outlives `elf`; empty for a file on disk
  std::unique_ptr<Elf, ElfCloser> elf;
  GElf_Ehdr header;
  std::vector<ElfSection> sections;  // by section index
};

// Errors as ReadElfSymbols documents them.
absl::StatusOr<std::unique_ptr<ElfFile>> OpenElfFile(const std::string& path);
absl::StatusOr<std::unique_ptr<ElfFile>> OpenElfBytes(std::string bytes, const std::string& name);

// The section's content, in this machine's byte order where elfutils knows its numbers.
// DataLoss: it cannot be read.
absl::StatusOr<Elf_Data*> ReadSection(const ElfFile& file, const ElfSection& section);

// Calls `visit` with each symbol of a symbol table, its index, and its name, which is
// empty where it has none. DataLoss: the table cannot be read; or the names have more than
// 16 times as many bytes as the section in which they stand, and a megabyte more, so that
// most are the ends of others: no linker writes that. What stands before has been visited.
absl::Status ForEachSymbol(
    const ElfFile& file, const ElfSection& table,
    absl::FunctionRef<void(uint32_t index, const GElf_Sym& symbol, absl::string_view name)> visit);

// A debug section, ".NAME" or, as it was compressed once, ".zNAME"; inflated if libdw has
// opened the file. Empty without one.
absl::string_view DebugSection(const ElfFile& file, absl::string_view name);

// Lower-case hexadecimal; empty if there is none.
std::string BuildIdOf(const ElfFile& file);

// "x86_64", "aarch64", …; "elf-machine-N" for one without a name here.
std::string ArchitectureOf(const ElfFile& file);

}  // namespace gprofhub::profile
