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
#include "analyzer/graph/function_table.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"

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

absl::Span<const profile::FunctionSymbol> SymbolsAt(const profile::SymbolTable& symbols,
                                                    uint64_t address) {
  const auto begin = std::lower_bound(symbols.functions.begin(), symbols.functions.end(), address,
                                      [](const profile::FunctionSymbol& symbol, uint64_t wanted) {
                                        return symbol.address < wanted;
                                      });
  auto end = begin;
  while (end != symbols.functions.end() && end->address == address) ++end;
  const size_t first = static_cast<size_t>(begin - symbols.functions.begin());
  return absl::MakeConstSpan(symbols.functions).subspan(first, static_cast<size_t>(end - begin));
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

// Histograms count in units of two bytes. Bin i of a histogram whose bins are
// `scale` units wide covers [low + floor(scale * i), low + floor(scale * (i+1)))
// units. GNU gprof credits a function that overlaps it with
// count * overlap / scale; as the bounds are rounded down but the scale is not,
// the credits of one bin need not sum to its count. Dividing by the bin's true
// width instead, as kExact does, loses nothing.

namespace {

void AssignHistogram(const FunctionTable& table, const profile::Histogram& histogram,
                     SymbolPolicy policy, AssignedSamples& assigned) {
  if (histogram.bins.empty() || histogram.high_pc <= histogram.low_pc) return;
  const std::vector<TableFunction>& rows = table.functions;
  const uint64_t low = histogram.low_pc / kUnitBytes;
  const double scale = static_cast<double>(histogram.high_pc / kUnitBytes - low) /
                       static_cast<double>(histogram.bins.size());
  size_t first = 0;  // first row that may overlap the current bin
  for (size_t i = 0; i < histogram.bins.size(); ++i) {
    if (histogram.bins[i] == 0) continue;
    const double count = static_cast<double>(histogram.bins[i]);
    const uint64_t bin_low = low + static_cast<uint64_t>(scale * static_cast<double>(i));
    const uint64_t bin_high = low + static_cast<uint64_t>(scale * static_cast<double>(i + 1));
    const double width =
        policy == SymbolPolicy::kGnu ? scale : static_cast<double>(bin_high - bin_low);
    assigned.total += count;
    while (first < rows.size() && rows[first].end / kUnitBytes <= bin_low) ++first;
    for (size_t row = first; row < rows.size(); ++row) {
      const uint64_t row_low = rows[row].address / kUnitBytes;
      if (row_low >= bin_high) break;
      const uint64_t from = std::max(bin_low, row_low);
      const uint64_t to = std::min(bin_high, rows[row].end / kUnitBytes);
      if (to <= from) continue;
      assigned.by_function[row] += static_cast<double>(to - from) * count / width;
    }
  }
}

}  // namespace

AssignedSamples AssignSamples(const FunctionTable& table,
                              absl::Span<const profile::Histogram> histograms,
                              SymbolPolicy policy) {
  AssignedSamples assigned;
  assigned.by_function.resize(table.functions.size());
  for (const profile::Histogram& histogram : histograms) {
    AssignHistogram(table, histogram, policy, assigned);
  }
  return assigned;
}

// Splits the code as GNU gprof 2.40 does (observed).

namespace {

// Cursor over a list sorted by address, for lookups of ascending addresses.
template <typename Element>
class AddressCursor {
 public:
  explicit AddressCursor(const std::vector<Element>& elements) : elements_(elements) {}

  // The last element that begins at or before the address; null before the first.
  const Element* MoveTo(uint64_t address) {
    while (next_ < elements_.size() && elements_[next_].address <= address) ++next_;
    return next_ == 0 ? nullptr : &elements_[next_ - 1];
  }
  // Where the next element begins.
  uint64_t NextAddress() const {
    return next_ < elements_.size() ? elements_[next_].address : UINT64_MAX;
  }

 private:
  const std::vector<Element>& elements_;
  size_t next_ = 0;
};

// Whether this is a mapping symbol, which marks the start of code or data and names nothing ("ELF
// for the Arm Architecture" and "ELF for the Arm 64-bit Architecture", Mapping symbols).
bool IsMappingSymbol(absl::string_view architecture, absl::string_view name) {
  const absl::string_view kinds = architecture == "aarch64" ? "xd"
                                  : architecture == "arm"   ? "atd"
                                                            : "";
  return name.size() >= 2 && name[0] == '$' && absl::StrContains(kinds, name[1]) &&
         (name.size() == 2 || name[2] == '.');
}

// A symbol that names the code from its address on.
struct Naming {
  uint64_t address;
  const profile::FunctionSymbol* symbol;
};

std::vector<Naming> NamingSymbols(const profile::SymbolTable& symbols) {
  std::vector<Naming> naming;
  for (const profile::FunctionSymbol& symbol : symbols.functions) {
    if (IsMappingSymbol(symbols.architecture, symbol.name)) continue;
    if (!naming.empty() && naming.back().address == symbol.address) {
      if (symbol.is_function && !naming.back().symbol->is_function) naming.back().symbol = &symbol;
      continue;
    }
    naming.push_back({symbol.address, &symbol});
  }
  return naming;
}

}  // namespace

std::vector<LineCode> CodeByLine(const profile::SymbolTable& symbols) {
  static const std::string kNoName;
  std::vector<LineCode> pieces;
  AddressCursor<profile::CodeScope> scopes(symbols.scopes);
  const std::vector<Naming> naming = NamingSymbols(symbols);
  AddressCursor<Naming> names(naming);
  const profile::LineRow* previous = nullptr;
  const std::vector<profile::LineRow>& lines = symbols.lines;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].line == 0 || lines[i].file == 0) continue;
    const uint64_t end = i + 1 < lines.size() ? lines[i + 1].address : symbols.text_high;
    for (uint64_t at = lines[i].address; at < end;) {
      const profile::CodeScope* scope = scopes.MoveTo(at);
      const Naming* named = names.MoveTo(at);
      LineCode piece{at, named != nullptr ? named->symbol : nullptr, &kNoName};
      if (piece.symbol != nullptr) piece.name = &piece.symbol->name;
      if (scope != nullptr && scope->name != 0) piece.name = &symbols.scope_names[scope->name];
      if (previous == nullptr || previous->line != lines[i].line ||
          previous->file != lines[i].file || *pieces.back().name != *piece.name) {
        pieces.push_back(piece);
        previous = &lines[i];
      }
      at = std::min({end, scopes.NextAddress(), names.NextAddress()});
    }
  }
  return pieces;
}

const profile::LineRow* LineFinder::Find(uint64_t address) {
  const size_t size = lines_.size();
  size_t low = at_ < size && lines_[at_].address <= address ? at_ : 0;
  size_t step = 1;
  while (size - low > step && lines_[low + step].address <= address) {
    low += step;
    step *= 2;
  }
  const auto begin = lines_.begin();
  const auto after =
      std::upper_bound(begin + static_cast<ptrdiff_t>(low),
                       begin + static_cast<ptrdiff_t>(std::min(size, low + step)), address,
                       [](uint64_t pc, const profile::LineRow& row) { return pc < row.address; });
  if (after == begin) return nullptr;
  at_ = static_cast<size_t>(after - begin) - 1;
  return lines_[at_].line == 0 ? nullptr : &lines_[at_];
}

}  // namespace gprofhub::analyzer
