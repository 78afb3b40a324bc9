// The ranges of code that debugging information entries have.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "profile/elf/file.h"

namespace gprofhub::profile {

// Reads the ranges of a file's entries, of them all no more than one for each 24 bytes of
// debug information, and a thousand: many entries may name one long list.
class DwarfRanges {
 public:
  // libdw need not have opened the file yet.
  explicit DwarfRanges(const ElfFile& file) : file_(file) {}

  // Calls `visit` with each range [low, high) that is not empty.
  void ForEach(Dwarf_Die* die, absl::FunctionRef<void(uint64_t low, uint64_t high)> visit);

  // Of debug information, inflated.
  uint64_t debug_bytes() const;

  // DataLoss: there were more, and the first of them ended the reading.
  absl::Status status() const;

 private:
  const ElfFile& file_;
  std::optional<uint64_t> left_;  // how many may be read; known once libdw has the file
  bool had_more_ = false;
};

}  // namespace gprofhub::profile
