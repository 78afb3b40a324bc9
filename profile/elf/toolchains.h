// The compiler of each function, and the functions that were inlined.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "profile/elf/file.h"
#include "profile/raw_profile.h"

namespace gprofhub::profile {

// The ranges of code that debugging information entries have.

// Reads the ranges of a file's entries. The limit for all of them is one for each 24 bytes of debug
// information, plus a thousand: many entries may refer to one long list.
class DwarfRanges {
 public:
  explicit DwarfRanges(const ElfFile& file) : file_(file) {}

  // Calls `visit` with each range [low, high) that is not empty.
  void ForEach(Dwarf_Die* die, absl::FunctionRef<void(uint64_t low, uint64_t high)> visit);

  // Of debug information.
  uint64_t debug_bytes() const;

  // DataLoss: the limit was exceeded, which ended the reading.
  absl::Status status() const;

 private:
  const ElfFile& file_;
  std::optional<uint64_t> left_;  // remaining number; unknown before the first call
  bool had_more_ = false;
};

// Fills SymbolTable::toolchains, SymbolTable::inlined and, for symbols.functions, which must have
// been read, `toolchain` and `never_inlined`. At most 1,000 toolchains; functions of further ones
// have none. No effect on a file without debug information. DataLoss: the debug information is
// damaged.
absl::Status ReadDwarfToolchains(const ElfFile& file, SymbolTable& symbols);

// The tree of a unit's debugging information entries.

// Calls `visit` with `unit` and each entry below it, in order; the depth of `unit` is 0. The rest
// of a unit is skipped if it nests deeper than compilers do, if its entries lead back, or if it
// would take more than linear time.
void ForEachDwarfEntry(Dwarf_Die* unit, absl::FunctionRef<void(Dwarf_Die*, int depth)> visit);

}  // namespace gprofhub::profile
