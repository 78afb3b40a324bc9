// A table is sorted by address, functions before labels, and globals before locals. Then
// each symbol is compared with the one that was kept at its address. The better one is
// kept, and the first of equals. Better is, in this order of weight:
//   1. a global than a local,
//   2. a function than a label,
//   3. a name that begins with fewer underscores; more than two count as two.
#include "cli/gprof/traces/row_trace.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_format.h"

namespace gprofhub::cli {
namespace {

// Less is better.
std::tuple<bool, bool, size_t> Worth(const TracedSymbol& symbol) {
  return {symbol.is_local, !symbol.is_function,
          std::min<size_t>(symbol.name.find_first_not_of('_'), 2)};
}

std::string WithKind(const TracedSymbol& symbol) {
  return absl::StrFormat("%s@%c%c", symbol.name, symbol.is_local ? 't' : 'T',
                         symbol.is_function ? 'F' : 'f');
}

}  // namespace

uint64_t LastAddress(const analyzer::ListingRows& rows, uint32_t row, uint64_t text_last) {
  const uint64_t end = rows.SymbolEnd(row);
  const bool has_end = end != UINT64_MAX && end > rows.Address(row);
  return has_end ? end - 1 : text_last;
}

TracedSymbol TraceRow(const analyzer::ListingRows& rows, uint32_t row, uint64_t text_last) {
  TracedSymbol symbol;
  symbol.address = rows.Address(row);
  symbol.last = LastAddress(rows, row, text_last);
  symbol.name = rows.LinkageName(row);
  symbol.is_local = rows.IsLocal(row);
  symbol.is_function = rows.IsFunction(row);
  return symbol;
}

std::string TraceTable(std::vector<TracedSymbol>& table, int dropped) {
  std::string out;
  std::stable_sort(table.begin(), table.end(), [](const TracedSymbol& a, const TracedSymbol& b) {
    return std::tuple(a.address, !a.is_function, a.is_local) <
           std::tuple(b.address, !b.is_function, b.is_local);
  });
  std::vector<TracedSymbol> kept;
  for (TracedSymbol& symbol : table) {
    if (kept.empty() || kept.back().address != symbol.address) {
      kept.push_back(std::move(symbol));
      continue;
    }
    if (Worth(symbol) < Worth(kept.back())) std::swap(symbol, kept.back());
    absl::StrAppendFormat(&out, "[symtab_finalize] favor %s over %s (addr=%x)\n",
                          WithKind(kept.back()), WithKind(symbol), symbol.address);
    ++dropped;
  }
  absl::StrAppendFormat(&out, "[symtab_finalize]: removed %d duplicate entries\n", dropped);
  for (const TracedSymbol& symbol : kept) {
    absl::StrAppendFormat(&out, "[symtab_finalize] %#x-%#x\t%s\n", symbol.address, symbol.last,
                          symbol.name);
  }
  table = std::move(kept);
  return out;
}

}  // namespace gprofhub::cli
