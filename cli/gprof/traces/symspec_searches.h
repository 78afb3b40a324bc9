// Level 512: GNU gprof's searches of the tables that symspecs choose.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/listing/symspec.h"
#include "cli/gprof/options/symspec_tables.h"
#include "cli/gprof/traces/row_trace.h"
#include "cli/gprof/traces/symbol_search.h"

namespace gprofhub::cli {

class SymspecSearches {
 public:
  // `symbols` ascend, one of each address.
  void SetTable(SymspecTable table, const std::vector<TracedSymbol>& symbols) {
    tables_.emplace(table, symbols);
  }

  // The trace of deciding whether the symbol at `address` is chosen. An `inherited` symbol
  // is chosen unless it is excluded, even where others are included.
  std::string Trace(analyzer::Choice choice, uint64_t address, bool inherited) const;
  // Whether there is such a trace for any symbol.
  bool HasTables(analyzer::Choice choice) const;

 private:
  // Empty: not found. `table` may be null.
  static std::string Search(const SearchedTable* table, uint64_t address);
  const SearchedTable* Find(SymspecTable table) const;

  std::map<SymspecTable, SearchedTable> tables_;  // none is empty
};

}  // namespace gprofhub::cli
