// A table of included symbols is searched first; one of excluded symbols if that finds
// nothing, unless it decides alone. A search halves the table until the next symbol but
// one lies behind the address; only what it finds is traced.
#include "cli/gprof/traces/symspec_searches.h"

#include "absl/strings/str_format.h"

namespace gprofhub {
const std::vector<TracedSymbol>* SymspecSearches::Find(SymspecTable table) const {
  const auto found = tables_.find(table);
  return found == tables_.end() ? nullptr : &found->second;
}

bool SymspecSearches::HasTables(Choice choice) const {
  const ChoiceTables tables = TablesOf(choice);
  return Find(tables.include) != nullptr || Find(tables.exclude) != nullptr;
}

std::string SymspecSearches::Search(const std::vector<TracedSymbol>* symbols, uint64_t address) {
  if (symbols == nullptr) return "";
  const size_t last = symbols->size() - 1;
  size_t low = 0;
  int probes = 0;
  for (size_t high = last; low != high;) {
    const size_t middle = (low + high) / 2;
    ++probes;
    const TracedSymbol& symbol = (*symbols)[middle];
    if (symbol.address <= address && address < (*symbols)[middle + 1].address) {
      if (address > symbol.last) return "";
      return absl::StrFormat("[sym_lookup] %d probes (symtab->len=%d)\n", probes, last);
    }
    if (symbol.address > address) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  if (address < (*symbols)[low].address || address > (*symbols)[low].last) return "";
  return absl::StrFormat("[sym_lookup] %d (%d) probes, fall off\n", probes, last);
}

std::string SymspecSearches::Trace(Choice choice, uint64_t address, bool inherited) const {
  const ChoiceTables tables = TablesOf(choice);
  const std::vector<TracedSymbol>* included = Find(tables.include);
  std::string out = Search(included, address);
  if (!out.empty() || (included != nullptr && !inherited)) return out;
  return Search(Find(tables.exclude), address);
}

}  // namespace gprofhub
