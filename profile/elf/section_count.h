// What an ELF file says of its own sizes, compared with the file before elfutils
// takes memory for it.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {

// Copies `size` bytes of the file, which lie within it, to `to`; false if they
// cannot be read.
using ReadBytes = absl::FunctionRef<bool(uint64_t offset, void* to, size_t size)>;

// elfutils takes a few hundred bytes for each section header when it opens a
// file. A linked program has some dozens of sections.
//
// DataLoss: the file has more section headers than one for each 512 bytes, and
// more than 1,024. What is no ELF file, or has its headers elsewhere than within
// itself, is for elfutils to refuse.
absl::Status CheckSectionCount(const std::string& path, uint64_t file_size, ReadBytes read);

// elfutils takes as much memory for a compressed debug section as the section
// claims to inflate to.
//
// DataLoss: the compressed sections claim more than 32 times the size of the file
// (whole programs stay below 10); or they claim more than twice its size and a
// megabyte, and one of them does not inflate to what it claims, which is found
// out without keeping what it inflates to.
absl::Status CheckCompressedSections(const ElfFile& file);

}  // namespace gprofhub::profile
