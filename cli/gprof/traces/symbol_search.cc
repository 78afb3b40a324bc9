// A search halves the table. It ends at a symbol when the next one lies behind the address, or
// when nothing is left to be halved.
#include "cli/gprof/traces/symbol_search.h"

#include "absl/strings/str_format.h"

namespace gprofhub::cli {

SearchedTable::SearchedTable(const std::vector<TracedSymbol>& symbols) {
  symbols_.reserve(symbols.size());
  for (const TracedSymbol& symbol : symbols) symbols_.push_back({symbol.address, symbol.last});
}

SearchedTable::SearchedTable(const analyzer::ListingRows& rows, uint64_t last) {
  symbols_.reserve(rows.size());
  for (uint32_t row = 0; row < rows.size(); ++row) {
    symbols_.push_back({rows.Address(row), row + 1 < rows.size() ? UINT64_MAX : last});
  }
}

SymbolSearch SearchedTable::Search(uint64_t address) const {
  SymbolSearch search;
  if (symbols_.empty()) return search;
  size_t low = 0;
  for (size_t high = symbols_.size() - 1; low != high;) {
    const size_t middle = (low + high) / 2;
    ++search.probes;
    if (symbols_[middle].address <= address && address < symbols_[middle + 1].address) {
      search.is_found = address <= symbols_[middle].last;
      return search;
    }
    if (symbols_[middle].address > address) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  search.is_found = symbols_[low].address <= address && address <= symbols_[low].last;
  search.fell_off = search.is_found;
  return search;
}

std::string SearchedTable::Trace(const SymbolSearch& search) const {
  if (!search.is_found) return "";
  const size_t last = symbols_.size() - 1;
  return search.fell_off
             ? absl::StrFormat("[sym_lookup] %d (%d) probes, fall off\n", search.probes, last)
             : absl::StrFormat("[sym_lookup] %d probes (symtab->len=%d)\n", search.probes, last);
}

}  // namespace gprofhub::cli
