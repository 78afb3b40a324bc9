// Checks whether a linked binary has its functions in the places that an ordering requests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "profile/symbols.h"

namespace gprofhub::analyzer {

struct Placement {
  size_t asked = 0;    // names in the ordering that a linker can place
  size_t present = 0;  // of these, those in the binary
  size_t placed = 0;   // of these, those in the requested order
  // Present but not placed, in the ordering's order.
  std::vector<std::string> missed;
  // Functions that are not in the ordering, between the first and the last placed function; cold
  // parts of functions (.cold) included.
  size_t strangers = 0;
  uint64_t span = 0;  // bytes from the first placed function to the end of the last
};

// The placed functions are a longest subsequence in the ordering's order. All symbols of one name
// belong in one place. If several names have one address, the first of them in the ordering counts.
Placement CheckPlacement(const profile::SymbolTable& binary, absl::Span<const std::string> names);

}  // namespace gprofhub::analyzer
