// An opened ELF file, shared by the readers of symbols and lines.
#pragma once

#include <gelf.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "base/file.h"

namespace gprofhub::profile {

// The machine code of an ELF file.

struct CodeSection {
  uint64_t address = 0;  // of its first byte, as linked
  std::string bytes;
};

// The executable sections that the file contains, in file order. Errors as ReadElfSymbols
// (profile/elf/read_image.h).
absl::StatusOr<std::vector<CodeSection>> ReadElfCode(const std::string& path);

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
  std::string path;                    // for messages
  base::FileDescriptor fd;             // outlives `elf`
  std::shared_ptr<const void> memory;  // outlives `elf`; null for a file on disk
  std::unique_ptr<Elf, ElfCloser> elf;
  GElf_Ehdr header;
  std::vector<ElfSection> sections;  // by section index
  // The file of .gnu_debugaltlink, which OpenSupplement opens (profile/elf/sections.h).
  std::unique_ptr<ElfFile> supplement;
};

// Errors as ReadElfSymbols documents them.
absl::StatusOr<std::unique_ptr<ElfFile>> OpenElfFile(const std::string& path);
absl::StatusOr<std::unique_ptr<ElfFile>> OpenElfBytes(std::string bytes, const std::string& name);

// The same for `bytes`, which `owner` owns.
absl::StatusOr<std::unique_ptr<ElfFile>> OpenElfMemory(absl::string_view bytes,
                                                       std::shared_ptr<const void> owner,
                                                       const std::string& name);

// The same for a file of debug information that other files share, which is not linked.
absl::StatusOr<std::unique_ptr<ElfFile>> OpenSharedDebugFile(const std::string& path);

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

// The content of the section ".NAME", as it is in the file. Empty if absent.
absl::string_view DebugSection(const ElfFile& file, absl::string_view name);

// Lower-case hexadecimal; empty if absent.
std::string BuildIdOf(const ElfFile& file);

// "x86_64", "aarch64", …; "elf-machine-N" for an unlisted machine.
std::string ArchitectureOf(const ElfFile& file);

// Reads numbers of an ELF file that elfutils has not opened yet.

// The number in the `size` bytes at `at`.
inline uint64_t LoadNumber(const void* at, size_t size, bool big_endian) {
  const auto* bytes = static_cast<const unsigned char*>(at);
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) value = value << 8 | bytes[big_endian ? i : size - 1 - i];
  return value;
}

// The magic bytes of an ELF file.

inline constexpr size_t kElfMagicBytes = 4;

// Whether a file with these first bytes, kElfMagicBytes or more, is an ELF file.
inline bool IsElf(absl::string_view begin) {
  constexpr absl::string_view kMagic("\177ELF", kElfMagicBytes);
  return absl::StartsWith(begin, kMagic);
}

// Checks the declared number of sections of an ELF file against its size, before elfutils allocates
// memory for them.

// Copies `size` bytes of the file, which are within it, to `to`; false if they cannot be read.
using ReadBytes = absl::FunctionRef<bool(uint64_t offset, void* to, size_t size)>;

// elfutils allocates a few hundred bytes for each section header when it opens a file. A linked
// program has a few dozen sections.
//
// DataLoss: the file has more than one section header for each 512 bytes, and more than 1,024.
// Files that are not ELF, or whose headers are outside the file, are left to elfutils to refuse.
absl::Status CheckSectionCount(const std::string& path, uint64_t file_size, ReadBytes read);

}  // namespace gprofhub::profile
