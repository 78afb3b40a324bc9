// Which line of a table an address belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/symbols.h"

namespace gprofhub::analyzer {

// Fastest for addresses that ascend: it looks on from where the last was found. The rows
// ascend by address, and outlive this.
class LineFinder {
 public:
  explicit LineFinder(const std::vector<profile::LineRow>& lines) : lines_(lines) {}

  // The last row at or before the address; null where no line is known.
  const profile::LineRow* Find(uint64_t address);

 private:
  const std::vector<profile::LineRow>& lines_;
  size_t at_ = 0;  // the last address's row, or 0
};

}  // namespace gprofhub::analyzer
