// The sizes that an ELF file's compressed sections claim, compared with the file before
// elfutils takes memory for them.
#pragma once

#include "absl/status/status.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {

// elfutils takes as much memory for a compressed debug section as the section
// claims to inflate to.
//
// Claims of less than twice the file and a megabyte are left to elfutils. Beyond that,
// DataLoss: the sections claim more than 32 times the size of the file (whole programs stay
// below 10); or one of them does not inflate to what it claims. That is found out without
// keeping what it inflates to.
absl::Status CheckCompressedSections(const ElfFile& file);

}  // namespace gprofhub::profile
