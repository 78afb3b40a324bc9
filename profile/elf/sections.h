// Functions of 64-bit PowerPC programs of the old ABI (ELFv1), whose symbols refer to descriptors
// in the section .opd instead of to code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "profile/elf/file.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// Compilers of a file, by the section .comment.

// The one toolchain (profile/demangle.h) of the file's code, by .comment; empty: not
// recorded, or several. gcc in addition to another compiler is ignored: it is that of the start
// files.
std::string CommentToolchain(const ElfFile& file);

// Compressed debug sections: SHF_COMPRESSED with zlib or zstd, and the older .zdebug_*. They are
// decompressed here: elfutils 0.188 does not know zstd, and allocates the declared size before it
// has read the stream.

// The debug sections of `file`, decompressed and under their names without "z", as a file in memory
// with the same path. Null if none is compressed: `file` is to be read.
//
// DataLoss: a section does not decompress to its declared size; the sections declare more than 32
// times the size of the file (whole programs stay below 10); or, uncompressed, they have more bytes
// than the file. If they declare more than twice the file plus a megabyte, nothing is allocated
// before each was found to decompress to its size; zstd's are only compared with the sizes that
// their frames declare, if these do. Unimplemented: compressed by another method.
absl::StatusOr<std::unique_ptr<ElfFile>> InflateDebugSections(const ElfFile& file);

// Debug information in a separate file, as distributions ship it (objcopy --only-keep-debug).

// Opens the separate debug file of `file`, which has no lines itself; null if none is found.
// Searches where GDB and GNU gprof do:
//   - by build-id, below .build-id next to the program, below .debug/.build-id and
//     /usr/lib/debug/.build-id;
//   - by .gnu_debuglink, next to the program, in .debug and below /usr/lib/debug.
// A file with a different build-id or checksum is rejected. A file in memory has none.
std::unique_ptr<ElfFile> FindDebugFile(const ElfFile& file);

// Sets `file.supplement` to the file that .gnu_debugaltlink names (dwz writes it: the debug
// information that several files share), with its debug sections decompressed. It is searched under
// its name, relative to the folder of `file`, and by build-id like FindDebugFile. No effect if none
// is found, which has the right build-id. Errors as InflateDebugSections.
absl::Status OpenSupplement(ElfFile& file);

// Symbols that a distribution keeps in stripped files: the section .gnu_debugdata is an ELF file,
// compressed with xz, whose .symtab has the functions that .dynsym lacks. Source: GDB's manual,
// "Debugging information in a special section".

// Opens that file; null without such a section. DataLoss: it does not inflate, or inflates to more
// than 32 times the size of `file` plus a megabyte; or it is not an ELF file.
absl::StatusOr<std::unique_ptr<ElfFile>> OpenMiniSymbols(const ElfFile& file);

// Calls in blocks of code that several functions share.

// Fills SymbolTable::shared_returns from the code of `file`, on x86 and aarch64. The functions must
// be known. Calls are found by the bytes before each address of such a block, without decoding the
// functions: bytes that only look like a call of a function's first byte, or of a linkage stub, are
// rare.
absl::Status FindSharedReturns(const ElfFile& file, SymbolTable& symbols);

// The section .opd.
struct DescriptorSection {
  size_t index = 0;  // section index; 0: the file has none
  uint64_t address = 0;
  const Elf_Data* data = nullptr;
};

// DataLoss: it cannot be read.
absl::StatusOr<DescriptorSection> FindDescriptors(const ElfFile& file);

// The code address in a descriptor, if it is in an executable section.
std::optional<uint64_t> CodeOf(const ElfFile& file, const DescriptorSection& section,
                               uint64_t descriptor);

// Adds the functions of the symbols of .opd, in the symbol table's order. They are named as objdump
// and GNU gprof name them: with a dot before the name. Of the symbols of one descriptor the first
// that is global and not weak names the function, otherwise the first. Nothing is added if
// symbols.functions has a symbol at the function's address, because the symbol table then names the
// code itself; nor if a descriptor refers to an address outside the executable sections. Their
// table indices begin at `table_index`.
void AddDescribedFunctions(const ElfFile& file, const DescriptorSection& section,
                           std::vector<FunctionSymbol> described, uint32_t table_index,
                           SymbolTable& symbols);

}  // namespace gprofhub::profile
