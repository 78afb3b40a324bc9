// The ranges of code that debugging information entries have.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {

// Reads the ranges of a file's entries. The limit for all of them is one for each 24 bytes of debug
// information, plus a thousand: many entries may refer to one long list.
class DwarfRanges {
 public:
  // libdw need not have opened the file yet.
  explicit DwarfRanges(const ElfFile& file) : file_(file) {}

  // Calls `visit` with each range [low, high) that is not empty.
  void ForEach(Dwarf_Die* die, absl::FunctionRef<void(uint64_t low, uint64_t high)> visit);

  // Of debug information, inflated.
  uint64_t debug_bytes() const;

  // DataLoss: the limit was exceeded, which ended the reading.
  absl::Status status() const;

 private:
  const ElfFile& file_;
  std::optional<uint64_t> left_;  // remaining number; known once libdw has the file
  bool had_more_ = false;
};

}  // namespace gprofhub::profile
