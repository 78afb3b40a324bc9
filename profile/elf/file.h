// An opened ELF file, shared by the readers of symbols and lines.
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
  absl::string_view name;     // points into the file; the first 256 bytes of a longer name
  GElf_Shdr header;
};

// A linked ELF file (an executable or a shared library) whose section table is within the file.
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

// The section's content, with numbers in this machine's byte order if elfutils can convert them.
// DataLoss: it cannot be read.
absl::StatusOr<Elf_Data*> ReadSection(const ElfFile& file, const ElfSection& section);

// Calls `visit` with each symbol of a symbol table, its index, and its name, which may be empty.
// DataLoss: the table cannot be read; or the names have more than 16 times as many bytes as the
// section that contains them, plus a megabyte, so that most are suffixes of others, which no linker
// writes. The preceding symbols have been visited.
absl::Status ForEachSymbol(
    const ElfFile& file, const ElfSection& table,
    absl::FunctionRef<void(uint32_t index, const GElf_Sym& symbol, absl::string_view name)> visit);

// A debug section, ".NAME" or, in the old compressed form, ".zNAME"; inflated if libdw has opened
// the file. Empty if absent.
absl::string_view DebugSection(const ElfFile& file, absl::string_view name);

// Lower-case hexadecimal; empty if absent.
std::string BuildIdOf(const ElfFile& file);

// "x86_64", "aarch64", …; "elf-machine-N" for an unlisted machine.
std::string ArchitectureOf(const ElfFile& file);

}  // namespace gprofhub::profile
