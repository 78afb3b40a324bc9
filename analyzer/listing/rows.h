// The rows of listings: functions, or in line-by-line listings pieces of code from one source line.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "analyzer/functions/function_table.h"
#include "profile/symbols.h"

namespace gprofhub::analyzer {

struct RowOptions {
  SymbolPolicy policy = SymbolPolicy::kGnu;
  bool by_line = false;         // a row per line of code, not per function
  bool no_static = false;       // local functions belong to the preceding row
  bool only_functions = false;  // local labels that are not functions also do
};

class ListingRows {
 public:
  ListingRows() = default;
  // `symbols` must outlive the rows.
  ListingRows(const profile::SymbolTable& symbols, const RowOptions& options);
  ListingRows(ListingRows&&) noexcept = default;
  ListingRows& operator=(ListingRows&&) noexcept = default;

  const FunctionTable& table() const { return table_; }
  size_t size() const { return table_.functions.size(); }
  bool by_line() const { return by_line_; }

  const std::string& LinkageName(uint32_t row) const {
    return names_.empty() ? Symbol(row)->name : *names_[row];
  }
  // A function, rather than a label or a piece of one.
  bool IsFunction(uint32_t row) const { return table_.functions[row].call_target == row; }
  bool IsLocal(uint32_t row) const { return Symbol(row) != nullptr && Symbol(row)->is_local; }
  uint64_t Address(uint32_t row) const { return table_.functions[row].address; }
  // The end address of the row. For the first row of a function this is the end of the whole
  // function, although its further lines have rows of their own.
  uint64_t SymbolEnd(uint32_t row) const {
    return symbol_ends_.empty() ? table_.functions[row].end : symbol_ends_[row];
  }

  // The source of the row's code: the file as named in the debug information, and the line ("" and
  // 0 if unknown).
  const std::string& File(uint32_t row) const { return symbols_->files[sources_[row].file]; }
  uint32_t FileIndex(uint32_t row) const { return sources_[row].file; }
  uint32_t Line(uint32_t row) const { return sources_[row].line; }
  const std::string& FileName(uint32_t index) const { return symbols_->files[index]; }

  // Indices of the source files in GNU gprof's order: first by the symbol table, then by the code.
  std::vector<uint32_t> FilesInOrder() const;

 private:
  struct Source {
    uint32_t file = 0;
    uint32_t line = 0;
  };

  // The symbol that contains a piece of code of one line, or null.
  const profile::FunctionSymbol* Symbol(uint32_t row) const { return table_.functions[row].symbol; }
  void SplitIntoLines();
  void FindSources();

  const profile::SymbolTable* symbols_ = nullptr;
  bool by_line_ = false;
  std::deque<profile::SymbolTable> filtered_;  // at most one: without some of the symbols
  FunctionTable table_;
  std::vector<uint64_t> symbol_ends_;      // by row, line by line
  std::vector<const std::string*> names_;  // the same
  std::vector<Source> sources_;            // by row
};

}  // namespace gprofhub::analyzer
