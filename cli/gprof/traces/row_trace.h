// Rows as GNU gprof's traces show them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/listing/rows.h"
#include "profile/symbols.h"

namespace gprofhub::cli {

// A symbol, or several that lie side by side, in a table of GNU gprof's.
struct TracedSymbol {
  uint64_t address = 0;
  uint64_t last = 0;  // address of its last byte
  std::string name;
  bool is_local = false;
  bool is_function = false;
};

// The address of a row's last byte. A row reaches to the next symbol. The last row in a
// table, and a row in the data, reach to `text_last`.
uint64_t LastAddress(const analyzer::ListingRows& rows, uint32_t row, uint64_t text_last);

TracedSymbol TraceRow(const analyzer::ListingRows& rows, uint32_t row, uint64_t text_last);

// The trace of a complete table: which of several symbols at one address is kept. Drops the
// others from `table`. `dropped` is how many were dropped before.
std::string TraceTable(std::vector<TracedSymbol>& table, int dropped = 0);

}  // namespace gprofhub::cli
