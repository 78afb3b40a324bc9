// GNU gprof's searches of its tables of symbols.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/listing/rows.h"
#include "cli/gprof/traces/row_trace.h"

namespace gprofhub::cli {

struct SymbolSearch {
  int probes = 0;  // symbols looked at
  bool is_found = false;
  bool fell_off = false;  // it was found when nothing was left to be halved
};

class SearchedTable {
 public:
  // `symbols` ascend, one for each address.
  explicit SearchedTable(const std::vector<TracedSymbol>& symbols);
  // The last row reaches to `last`; if that is 0, it is never found.
  SearchedTable(const analyzer::ListingRows& rows, uint64_t last);

  SymbolSearch Search(uint64_t address) const;
  // The trace of a search; empty if nothing was found.
  std::string Trace(const SymbolSearch& search) const;
  std::string TraceSearch(uint64_t address) const { return Trace(Search(address)); }

 private:
  struct Range {
    uint64_t address;
    uint64_t last;
  };

  std::vector<Range> symbols_;
};

}  // namespace gprofhub::cli
