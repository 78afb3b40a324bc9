// The table of included symbols is searched first. If it has the symbol, that decides. If it
// has not, that decides, too, unless the symbol is `inherited`. The table of excluded symbols
// is searched where nothing is decided yet.
#include "cli/gprof/traces/symspec_searches.h"

namespace gprofhub::cli {

const SearchedTable* SymspecSearches::Find(SymspecTable table) const {
  const auto found = tables_.find(table);
  return found == tables_.end() ? nullptr : &found->second;
}

bool SymspecSearches::HasTables(analyzer::Choice choice) const {
  const ChoiceTables tables = TablesOf(choice);
  return Find(tables.include) != nullptr || Find(tables.exclude) != nullptr;
}

std::string SymspecSearches::Search(const SearchedTable* table, uint64_t address) {
  return table == nullptr ? "" : table->TraceSearch(address);
}

std::string SymspecSearches::Trace(analyzer::Choice choice, uint64_t address,
                                   bool inherited) const {
  const ChoiceTables tables = TablesOf(choice);
  const SearchedTable* included = Find(tables.include);
  std::string out = Search(included, address);
  if (!out.empty() || (included != nullptr && !inherited)) return out;
  return Search(Find(tables.exclude), address);
}

}  // namespace gprofhub::cli
