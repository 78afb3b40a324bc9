// The machine code of an ELF file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace gprofhub::profile {

struct CodeSection {
  uint64_t address = 0;  // of its first byte, as linked
  std::string bytes;
};

// The executable sections that the file contains, in file order. Errors as ReadElfSymbols
// (profile/image/read_image.h).
absl::StatusOr<std::vector<CodeSection>> ReadElfCode(const std::string& path);

}  // namespace gprofhub::profile
