// Whether a linked binary has its functions where an ordering wants them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "profile/symbols.h"

namespace gprofhub::analyzer {

struct Placement {
  size_t asked = 0;    // names in the ordering that a linker can place
  size_t present = 0;  // of these, in the binary
  size_t placed = 0;   // of these, standing as ordered
  // Present but not placed, in the ordering's order.
  std::vector<std::string> missed;
  // Functions that the ordering does not name, between the first and the last
  // function that is placed; cold parts of functions (.cold) included.
  size_t strangers = 0;
  uint64_t span = 0;  // bytes from the first placed function to the end of the last
};

// The placed functions are the most that stand in the ordering's order, however
// many others stand elsewhere. All symbols of one name belong in one place; where
// several names have one address, the first that the ordering names counts.
Placement CheckPlacement(const profile::SymbolTable& binary, absl::Span<const std::string> names);

}  // namespace gprofhub::analyzer
