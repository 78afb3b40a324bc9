// Maps addresses to rows of a line table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/symbols.h"

namespace gprofhub::analyzer {

// Fastest for ascending addresses: a search starts at the previous result. The rows ascend by
// address and must outlive the finder.
class LineFinder {
 public:
  explicit LineFinder(const std::vector<profile::LineRow>& lines) : lines_(lines) {}

  // The last row at or before the address; null if the line is unknown.
  const profile::LineRow* Find(uint64_t address);

 private:
  const std::vector<profile::LineRow>& lines_;
  size_t at_ = 0;  // row of the previous address, or 0
};

}  // namespace gprofhub::analyzer
