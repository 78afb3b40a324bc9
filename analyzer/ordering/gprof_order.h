// Function ordering as GNU gprof 2.40's --function-ordering suggests it.
#pragma once

#include <cstdint>
#include <vector>

namespace gprofhub::analyzer {

// Calls of one function by another. A pair of functions may have several arcs.
struct WeightedArc {
  uint32_t caller = 0;  // both are rows of `called`
  uint32_t callee = 0;
  uint64_t count = 0;
};

// Every row of `called` once. `called[row]`: whether another function calls it. Arcs of
// one count are taken in their order.
// O(arcs log arcs).
std::vector<uint32_t> OrderGprof(const std::vector<bool>& called, std::vector<WeightedArc> arcs);

}  // namespace gprofhub::analyzer
