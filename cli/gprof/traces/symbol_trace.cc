#include "cli/gprof/traces/symbol_trace.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_format.h"
#include "analyzer/functions/code_by_line.h"
#include "analyzer/functions/line_finder.h"
#include "analyzer/listing/rows.h"
#include "cli/gprof/options/debug_levels.h"
#include "cli/gprof/traces/row_trace.h"
#include "cli/gprof/traces/symbol_search.h"

namespace gprofhub::cli {
namespace {

// Where an address comes from, as far as GNU gprof knows.
class SourceTrace {
 public:
  SourceTrace(const profile::ClassedSymbols& classed, const profile::SymbolTable& symbols)
      : classed_(classed), symbols_(symbols), lines_(symbols.lines) {
    const std::string* file = nullptr;
    for (const profile::ClassedSymbol& symbol : classed.symbols) {
      if (symbol.is_file) file = &symbol.name;
      if (!symbol.in_text || symbol.is_object || symbol.symbol_class == 0) continue;
      if (analyzer::IsMappingSymbol(symbols.architecture, symbol.name)) continue;
      text_.push_back({symbol.address, symbol.name, symbol.is_local ? file : nullptr});
    }
    std::stable_sort(text_.begin(), text_.end(), [](const TextSymbol& a, const TextSymbol& b) {
      return a.address < b.address;
    });
  }

  std::string Of(uint64_t address) {
    const profile::LineRow* line = lines_.RowAt(address);
    const TextSymbol* symbol = SymbolAt(address);
    std::string name = symbol == nullptr ? "<unknown>" : symbol->name;
    if (line == nullptr || line->file == 0) {
      const bool has_file = symbol != nullptr && symbol->file != nullptr;
      return absl::StrFormat("[get_src_info] no info for %#x (%s:0,%s)\n", address,
                             has_file ? *symbol->file : "<unknown>", name);
    }
    if (const std::string* scope = ScopeAt(address); scope != nullptr) name = *scope;
    if (line->line == 0) {
      return absl::StrFormat("[get_src_info] no info for %#x (%s:0,%s)\n", address,
                             symbols_.files[line->file], name);
    }
    return absl::StrFormat("[get_src_info] %#x -> %s:%d (%s)\n", address,
                           symbols_.files[line->file], line->line, name);
  }

 private:
  struct TextSymbol {
    uint64_t address;
    std::string name;
    const std::string* file;
  };

  // Everything is looked for in .text. An address before it counts as one behind its end.
  const TextSymbol* SymbolAt(uint64_t address) const {
    const uint64_t offset = address - classed_.text_address;
    const auto after = std::upper_bound(text_.begin(), text_.end(), offset,
                                        [this](uint64_t at, const TextSymbol& symbol) {
                                          return at < symbol.address - classed_.text_address;
                                        });
    if (after == text_.begin()) return nullptr;
    auto found = after - 1;
    while (found != text_.begin() && (found - 1)->address == found->address) --found;
    return &*found;
  }

  const std::string* ScopeAt(uint64_t address) const {
    const auto after = std::upper_bound(
        symbols_.scopes.begin(), symbols_.scopes.end(), address,
        [](uint64_t at, const profile::CodeScope& scope) { return at < scope.address; });
    if (after == symbols_.scopes.begin() || (after - 1)->name == 0) return nullptr;
    return &symbols_.scope_names[(after - 1)->name];
  }

  const profile::ClassedSymbols& classed_;
  const profile::SymbolTable& symbols_;
  analyzer::LineFinder lines_;
  std::vector<TextSymbol> text_;
};

class SymbolTrace {
 public:
  SymbolTrace(const SymbolTraceInput& input, unsigned levels)
      : input_(input),
        levels_(levels),
        sources_(input.classed, input.symbols),
        functions_(input.symbols, ByFunction(input.options)),
        searched_(functions_, 0) {}

  std::string Run() {
    if (Has(kTraceSymbols) && !input_.is_external) {
      for (const profile::ClassedSymbol& symbol : input_.classed.symbols) AddClass(symbol);
      AddFunctions();
    }
    AddFunctionTable();
    if (input_.options.by_line && !input_.is_external) AddLines();
    return std::move(out_);
  }

 private:
  bool Has(unsigned levels) const { return (levels_ & levels) != 0; }

  static analyzer::RowOptions ByFunction(analyzer::RowOptions options) {
    options.by_line = false;
    return options;
  }

  static bool IsText(const profile::ClassedSymbol& symbol) {
    return symbol.symbol_class == 't' || symbol.symbol_class == 'T' || symbol.symbol_class == 'W';
  }

  // Why a symbol is no function, if its class says so.
  void AddClass(const profile::ClassedSymbol& symbol) {
    if (symbol.symbol_class == 0) return;
    if (input_.options.no_static && symbol.is_local) {
      absl::StrAppendFormat(&out_, "[core_sym_class] %s: not a function\n", symbol.name);
    } else if (!IsText(symbol)) {
      absl::StrAppendFormat(&out_, "[core_sym_class] %s is of class %c\n", symbol.name,
                            symbol.symbol_class);
    }
  }

  void AddFunctions() {
    absl::flat_hash_set<std::pair<uint64_t, std::string>> listed;
    for (const profile::FunctionSymbol* symbol : Listed())
      listed.emplace(symbol->address, symbol->name);
    size_t number = 0;
    for (const profile::ClassedSymbol& symbol : input_.classed.symbols) {
      AddClass(symbol);
      const std::string name = symbol.name.substr(0, symbol.name.find('@'));
      if (!IsText(symbol) || !listed.contains(std::pair(symbol.address, name))) {
        absl::StrAppendFormat(&out_, "[core_create_function_syms] rejecting: %s %s\n",
                              Hex(symbol.offset), symbol.name);
        continue;
      }
      out_ += sources_.Of(symbol.address);
      absl::StrAppendFormat(&out_, "[core_create_function_syms] %d %s %#x\n", number++, name,
                            symbol.address);
    }
  }

  static std::string Hex(uint64_t value) { return absl::StrFormat("0x%x", value); }

  std::vector<const profile::FunctionSymbol*> Listed() const {
    return analyzer::ListedSymbols(functions_.listed_symbols(), input_.options.policy);
  }

  uint64_t TextLast() const { return input_.classed.TextLast(); }

  // Of symbols that have none yet.
  void SetLasts(std::vector<TracedSymbol>& table) const {
    std::vector<uint64_t> addresses;
    for (const TracedSymbol& symbol : table) addresses.push_back(symbol.address);
    std::sort(addresses.begin(), addresses.end());
    for (TracedSymbol& symbol : table) {
      if (symbol.last != 0) continue;
      const auto next = std::upper_bound(addresses.begin(), addresses.end(), symbol.address);
      symbol.last = next == addresses.end() ? TextLast() : *next - 1;
    }
  }

  static TracedSymbol Traced(const profile::FunctionSymbol& symbol) {
    return {symbol.address, 0, symbol.name, symbol.is_local, symbol.is_function};
  }

  void AddFunctionTable() {
    std::vector<TracedSymbol> table;
    for (const profile::FunctionSymbol* symbol : Listed()) table.push_back(Traced(*symbol));
    SetLasts(table);
    const std::string text = TraceTable(table);
    if (Has(kTraceSymbols | kTraceSymspecs)) out_ += text;
  }

  void AddLines() {
    const std::vector<analyzer::LineCode> pieces = analyzer::CodeByLine(input_.symbols);
    // The code is walked through twice, byte by byte: to count the lines, and to make them.
    const uint64_t begin = input_.classed.text_address;
    const uint64_t end = begin + input_.classed.text_size;
    if (Has(kTraceSymbols)) {
      for (uint64_t at = begin; at < end; ++at) out_ += sources_.Of(at);
    }
    analyzer::LineFinder files(input_.symbols.lines);
    const std::string* name = nullptr;
    uint32_t file = 0;
    uint64_t at = begin;
    for (size_t number = 0; number < pieces.size(); ++number) {
      const analyzer::LineCode& line = pieces[number];
      AddSources(at, std::min(line.address + 1, end));
      const uint32_t file_here = files.Find(line.address)->file;
      if (name == nullptr || *name != *line.name || file != file_here) AddLookup(line.address);
      name = line.name;
      file = file_here;
      if (!Has(kTraceSymbols)) continue;
      absl::StrAppendFormat(&out_, "[core_create_line_syms] %d %s %#x\n", number, *line.name,
                            line.address);
    }
    AddSources(at, end);
    AddLineTable(pieces);
  }

  void AddSources(uint64_t& at, uint64_t end) {
    if (!Has(kTraceSymbols)) return;
    for (; at < end; ++at) out_ += sources_.Of(at);
  }

  void AddLookup(uint64_t address) {
    if (Has(kTraceLookups)) out_ += searched_.TraceSearch(address);
  }

  void AddLineTable(const std::vector<analyzer::LineCode>& pieces) {
    if (!Has(kTraceSymbols | kTraceSymspecs)) return;
    std::vector<TracedSymbol> table;
    for (const analyzer::LineCode& piece : pieces) {
      table.push_back({piece.address, 0, *piece.name, piece.is_local(), false});
    }
    for (uint32_t row = 0; row < functions_.size(); ++row) {
      table.push_back(TraceRow(functions_, row, TextLast()));
    }
    SetLasts(table);
    // The last one is a label in the data. It is dropped, and nothing is said of it.
    if (!table.empty()) table.pop_back();
    out_ += TraceTable(table, 1);
  }

  const SymbolTraceInput& input_;
  const unsigned levels_;
  SourceTrace sources_;
  const analyzer::ListingRows functions_;  // the rows that are functions and labels
  const SearchedTable searched_;
  std::string out_;
};

}  // namespace

std::string TraceSymbols(const SymbolTraceInput& input, unsigned levels) {
  if ((levels & (kTraceSymbols | kTraceSymspecs | kTraceLookups)) == 0) return "";
  return SymbolTrace(input, levels).Run();
}

}  // namespace gprofhub::cli
