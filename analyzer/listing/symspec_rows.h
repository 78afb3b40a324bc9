// Selection of rows by a symspec.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/listing/rows.h"
#include "analyzer/listing/symspec.h"

namespace gprofhub::analyzer {

// A run of adjacent rows that a symspec matches, and the rows behind it that it chooses too.
struct ChosenRun {
  uint32_t first = 0;
  uint32_t last_matched = 0;
  uint32_t last_chosen = 0;  // before the next run
  // The same for callers of calls (-k, -q from/to), regardless of other runs.
  uint32_t last_caller = 0;
};

// In the order of the rows.
std::vector<ChosenRun> ChosenRuns(const ListingRows& rows, const Symspec& spec);

}  // namespace gprofhub::analyzer
