// Circles of calls: functions that call each other, directly or not.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace gprofhub::base {

struct Circles {
  // By function: its circle. Circles are numbered so that every arc between two of
  // them leads from the higher number to the lower. Most are of one function.
  std::vector<uint32_t> of;
  std::vector<std::vector<uint32_t>> members;  // by circle
};

// The strongly connected components of the graph with the nodes 0 to count - 1 and
// these (from, to) arcs. Linear in both.
Circles FindCircles(uint32_t count, const std::vector<std::pair<uint32_t, uint32_t>>& arcs);

}  // namespace gprofhub::base
