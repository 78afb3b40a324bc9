// Checks the declared sizes of an ELF file's compressed sections, before elfutils allocates memory
// for them.
#pragma once

#include "absl/status/status.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {

// elfutils allocates the declared inflated size of a compressed debug section.
//
// Declared sizes of less than twice the file plus a megabyte are left to elfutils. Beyond that,
// DataLoss: the sections declare more than 32 times the size of the file (whole programs stay below
// 10); or one of them does not inflate to its declared size. The check does not store the inflated
// bytes.
absl::Status CheckCompressedSections(const ElfFile& file);

}  // namespace gprofhub::profile
