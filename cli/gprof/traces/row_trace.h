// Rows as GNU gprof's traces show them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/listing_rows.h"
#include "profile/symbols.h"

namespace gprofhub {

// A symbol, or several that lie side by side, in a table of GNU gprof's.
struct TracedSymbol {
  uint64_t address = 0;
  uint64_t last = 0;  // address of its last byte
  std::string name;
  bool is_local = false;
  bool is_function = false;
};

// `last` is a row's next one's address less 1; `text_last` for the last row.
TracedSymbol TraceRow(const ListingRows& rows, uint32_t row, uint64_t text_last);

// What a table says when it is complete: which of several symbols at one address is
// kept, and what is left. Drops the others from `table`. `dropped`: how many more
// are gone.
std::string TraceTable(std::vector<TracedSymbol>& table, int dropped = 0);

}  // namespace gprofhub
