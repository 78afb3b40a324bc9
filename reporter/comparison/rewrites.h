// Detects rewritten components of a program. The essay is in rewrites.cc.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "reporter/comparison/pair_call_sites.h"

namespace gprofhub::reporter {

// Functions are indices into MatchedTarget::functions.
struct Rewrite {
  std::string component;         // "json*", "ns::Parser::*" or a file
  std::vector<uint32_t> gone;    // only the base has them
  std::vector<uint32_t> came;    // only the head has them
  std::vector<uint32_t> stayed;  // the component's functions on both sides, except unchanged code
  // Pairs of vanished and new functions with the same role, judging by name, callers and callees.
  // Not all have one.
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
};

// A function is in at most one rewrite. Sorted by number of functions, descending.
std::vector<Rewrite> FindRewrites(const MatchedTarget& target);

}  // namespace gprofhub::reporter
