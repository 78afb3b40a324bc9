// Selection of the symbols that are functions.
//
// GNU gprof 2.40, as observed on synthetic symbol tables:
//  - indirect functions (STT_GNU_IFUNC) are not listed, all other symbols in
//    executable sections are, bare labels included (etext, too), and so are
//    weak labels in data (data_start); but calls go to real functions only, so
//    a call into a label's range is the preceding function's;
//  - a local symbol is dropped if its name has a '$', starts with
//    "__gnu_compiled" or "___gnu_compiled", or has a '.' that is followed by
//    anything but digits, "clone.<digits>", "constprop.<digits>" or the end;
//  - one symbol per address survives: a global before a local, then a function before
//    a label, then the one with fewer leading underscores, where more than two count as two;
//  - a function ends at the next surviving symbol, regardless of its size.
//
// Dropping `.part.N`, `.isra.N` and `.cold` attributes their samples and calls to the preceding
// function, which misleads. kExact keeps them. A global label at the address of a local function
// also misleads, because the function loses its calls. kExact prefers the function.
#include "analyzer/functions/function_table.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace gprofhub::analyzer {
namespace {

// At most 2.
size_t LeadingUnderscores(absl::string_view name) {
  return std::min<size_t>(name.find_first_not_of('_'), 2);
}

// Whether `a` rather than `b` names the address they share; false on a tie.
bool NamesBetter(const profile::FunctionSymbol& a, const profile::FunctionSymbol& b,
                 SymbolPolicy policy) {
  const bool exact = policy == SymbolPolicy::kExact;
  if (exact && a.is_function != b.is_function) return a.is_function;
  if (a.is_local != b.is_local) return !a.is_local;
  if (a.is_function != b.is_function) return a.is_function;
  return LeadingUnderscores(a.name) < LeadingUnderscores(b.name);
}

bool ConsumeDigits(absl::string_view& rest) {
  size_t digits = 0;
  while (digits < rest.size() && absl::ascii_isdigit(rest[digits])) ++digits;
  rest.remove_prefix(digits);
  return digits > 0;
}

bool IsListed(const profile::FunctionSymbol& symbol, SymbolPolicy policy) {
  if (symbol.name.empty()) return false;
  if (policy == SymbolPolicy::kExact) return symbol.is_function || !symbol.is_local;
  if (symbol.is_indirect) return false;
  return !symbol.is_local || GnuAcceptsLocalName(symbol.name);
}

uint64_t EndBySize(const profile::FunctionSymbol& symbol) {
  return symbol.address + std::min(symbol.size, UINT64_MAX - symbol.address);
}

uint64_t EndOfLast(const profile::SymbolTable& symbols, const profile::FunctionSymbol& last,
                   SymbolPolicy policy) {
  if (policy == SymbolPolicy::kExact) return std::max(symbols.text_high, last.address);
  const bool is_data =
      !symbols.functions.empty() && last.address > symbols.functions.back().address;
  return is_data ? last.address : UINT64_MAX;
}

// The symbols that rows are chosen from, ascending by address.
std::vector<const profile::FunctionSymbol*> ListedSymbols(const profile::SymbolTable& symbols,
                                                          SymbolPolicy policy) {
  std::vector<const profile::FunctionSymbol*> listed;
  listed.reserve(symbols.functions.size());
  for (const profile::FunctionSymbol& symbol : symbols.functions) {
    if (symbols.has_chosen_functions || IsListed(symbol, policy)) listed.push_back(&symbol);
  }
  if (policy == SymbolPolicy::kGnu && !symbols.weak_labels.empty()) {
    for (const profile::FunctionSymbol& symbol : symbols.weak_labels) listed.push_back(&symbol);
    std::stable_sort(listed.begin(), listed.end(),
                     [](const profile::FunctionSymbol* a, const profile::FunctionSymbol* b) {
                       return a->address < b->address;
                     });
  }
  return listed;
}

}  // namespace

bool GnuAcceptsLocalName(absl::string_view name) {
  if (absl::StartsWith(name, "__gnu_compiled") || absl::StartsWith(name, "___gnu_compiled")) {
    return false;
  }
  if (absl::StrContains(name, '$')) return false;
  const size_t dot = name.find('.');
  if (dot == absl::string_view::npos) return true;
  absl::string_view rest = name.substr(dot);
  while (!rest.empty()) {
    // Each round takes one ".<digits>" or ".<clone kind>.<digits>".
    if (!absl::ConsumePrefix(&rest, ".")) return false;
    if (rest.empty()) return true;
    if (!absl::ConsumePrefix(&rest, "clone.")) absl::ConsumePrefix(&rest, "constprop.");
    if (!ConsumeDigits(rest)) return false;
  }
  return true;
}

FunctionTable BuildFunctionTable(const profile::SymbolTable& symbols, SymbolPolicy policy) {
  FunctionTable table;
  std::vector<TableFunction>& rows = table.functions;
  uint64_t covered_to = 0;  // end of the functions so far, by their sizes
  for (const profile::FunctionSymbol* symbol : ListedSymbols(symbols, policy)) {
    if (!rows.empty() && rows.back().address == symbol->address) {
      rows.back().first_index = std::min(rows.back().first_index, symbol->table_index);
      if (NamesBetter(*symbol, *rows.back().symbol, policy)) rows.back().symbol = symbol;
      continue;
    }
    // A label inside a function is a jump target, not a function.
    if (policy == SymbolPolicy::kExact && !symbol->is_function && symbol->address < covered_to) {
      continue;
    }
    rows.push_back({symbol->address, 0, symbol, kNoFunction, symbol->table_index});
    covered_to = std::max(covered_to, EndBySize(*symbol));
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const profile::FunctionSymbol& symbol = *rows[i].symbol;
    rows[i].end = i + 1 < rows.size() ? rows[i + 1].address : EndOfLast(symbols, symbol, policy);
    if (policy == SymbolPolicy::kExact && symbol.size != 0) {
      rows[i].end = std::min(rows[i].end, EndBySize(symbol));
    }
    if (policy == SymbolPolicy::kExact || symbol.is_function) {
      rows[i].call_target = static_cast<uint32_t>(i);
    } else if (i > 0) {
      rows[i].call_target = rows[i - 1].call_target;
    }
  }
  return table;
}

uint32_t FindByAddress(const FunctionTable& table, uint64_t pc) {
  const auto after = std::upper_bound(
      table.functions.begin(), table.functions.end(), pc,
      [](uint64_t address, const TableFunction& row) { return address < row.address; });
  if (after == table.functions.begin()) return kNoFunction;
  const auto row = after - 1;
  return pc < row->end ? static_cast<uint32_t>(row - table.functions.begin()) : kNoFunction;
}

uint32_t FindCallTarget(const FunctionTable& table, uint64_t pc) {
  const uint32_t row = FindByAddress(table, pc);
  return row == kNoFunction ? kNoFunction : table.functions[row].call_target;
}

FunctionFinder::FunctionFinder(const FunctionTable& table) : rows_(table.functions) {
  if (rows_.empty()) return;
  low_ = rows_.front().address;
  const uint64_t span = rows_.back().address - low_;
  while (span >> shift_ >= 2 * rows_.size()) ++shift_;
  buckets_.resize((span >> shift_) + 2);
  uint32_t row = 0;
  for (size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    while (row < rows_.size() && (rows_[row].address - low_) >> shift_ < bucket) ++row;
    buckets_[bucket] = row;
  }
}

uint32_t FunctionFinder::ByAddress(uint64_t pc) const {
  if (buckets_.empty() || pc < low_) return kNoFunction;
  const size_t bucket = BucketOf(pc);
  const auto after = std::upper_bound(
      rows_.begin() + buckets_[bucket], rows_.begin() + buckets_[bucket + 1], pc,
      [](uint64_t address, const TableFunction& row) { return address < row.address; });
  // The first row begins at low_, so there is one before.
  const auto row = after - 1;
  return pc < row->end ? static_cast<uint32_t>(row - rows_.begin()) : kNoFunction;
}

uint32_t FunctionFinder::CallTarget(uint64_t pc) const {
  const uint32_t row = ByAddress(pc);
  return row == kNoFunction ? kNoFunction : rows_[row].call_target;
}

}  // namespace gprofhub::analyzer
