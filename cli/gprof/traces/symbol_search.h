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
  bool fell_off = false;  // it is the one at which nothing was left to be halved
};

class SearchedTable {
 public:
  // Of symbols that ascend, one of each address.
  explicit SearchedTable(const std::vector<TracedSymbol>& symbols);
  // Of rows; the last of them reaches to `last`, 0: it is never found.
  SearchedTable(const analyzer::ListingRows& rows, uint64_t last);

  SymbolSearch Search(uint64_t address) const;
  // What is traced of a search: nothing, if nothing is found.
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
