// The rows that a symspec chooses.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/listing/rows.h"
#include "analyzer/listing/symspec.h"

namespace gprofhub::analyzer {

// Rows side by side that a symspec matches, and those behind them that it chooses too.
struct ChosenRun {
  uint32_t first = 0;
  uint32_t last_matched = 0;
  uint32_t last_chosen = 0;  // before the next run
  // As callers of calls (-k, -q from/to), whatever other runs there are.
  uint32_t last_caller = 0;
};

// In the order of the rows.
std::vector<ChosenRun> ChosenRuns(const ListingRows& rows, const Symspec& spec);

}  // namespace gprofhub::analyzer
