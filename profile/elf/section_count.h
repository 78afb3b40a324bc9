// Checks the declared number of sections of an ELF file against its size, before elfutils allocates
// memory for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

namespace gprofhub::profile {

// Copies `size` bytes of the file, which are within it, to `to`; false if they cannot be read.
using ReadBytes = absl::FunctionRef<bool(uint64_t offset, void* to, size_t size)>;

// elfutils allocates a few hundred bytes for each section header when it opens a file. A linked
// program has a few dozen sections.
//
// DataLoss: the file has more than one section header for each 512 bytes, and more than 1,024.
// Files that are not ELF, or whose headers are outside the file, are left to elfutils to refuse.
absl::Status CheckSectionCount(const std::string& path, uint64_t file_size, ReadBytes read);

}  // namespace gprofhub::profile
