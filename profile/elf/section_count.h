// The number of sections that an ELF file claims, compared with its size before elfutils
// takes memory for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

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

}  // namespace gprofhub::profile
