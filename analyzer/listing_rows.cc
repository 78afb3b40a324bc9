// Lines of code, as GNU gprof 2.40 makes rows of them (observed):
//  - the code is cut wherever the source line, its file or the function changes;
//    what is inlined has the name of the function it comes from;
//  - code without a known line belongs to the row before, and does not end it:
//    if the same line goes on behind it, so does the row;
//  - functions, and labels where no line is known, are rows of their own. Where
//    a function and a line begin at one address the row is the function's, so
//    that calls find it; a label gives way to the line;
//  - the last label, which lies in the data, or where the code ends, is left out.
#include "analyzer/listing_rows.h"

#include <algorithm>
#include <utility>

#include "analyzer/line_finder.h"

namespace gprofhub {
namespace {

// `symbols` without those that the options leave out; only what a function
// table needs.
SymbolTable WithoutStatics(const SymbolTable& symbols, const RowOptions& options) {
  SymbolTable filtered;
  filtered.text_low = symbols.text_low;
  filtered.text_high = symbols.text_high;
  filtered.etext = symbols.etext;
  filtered.weak_labels = symbols.weak_labels;
  std::copy_if(symbols.functions.begin(), symbols.functions.end(),
               std::back_inserter(filtered.functions), [&](const FunctionSymbol& symbol) {
                 if (!symbol.is_local) return true;
                 return !options.no_static && (symbol.is_function || !options.only_functions);
               });
  return filtered;
}

// Walks through ascending addresses in a sorted list, always at the last element
// that begins at or before the address.
template <typename Element>
class Cursor {
 public:
  explicit Cursor(const std::vector<Element>& elements) : elements_(elements) {}

  // Null before the first element.
  const Element* MoveTo(uint64_t address) {
    while (next_ < elements_.size() && elements_[next_].address <= address) ++next_;
    return next_ == 0 ? nullptr : &elements_[next_ - 1];
  }
  uint64_t NextAddress() const {
    return next_ < elements_.size() ? elements_[next_].address : UINT64_MAX;
  }

 private:
  const std::vector<Element>& elements_;
  size_t next_ = 0;
};

// A symbol that names the code from its address on.
struct Naming {
  uint64_t address;
  const FunctionSymbol* symbol;
};

std::vector<Naming> NamingSymbols(const SymbolTable& symbols) {
  std::vector<Naming> naming;
  for (const FunctionSymbol& symbol : symbols.functions) {
    if (!naming.empty() && naming.back().address == symbol.address) {
      if (symbol.is_function && !naming.back().symbol->is_function) naming.back().symbol = &symbol;
      continue;
    }
    naming.push_back({symbol.address, &symbol});
  }
  return naming;
}

}  // namespace

const LineRow* FindLine(const SymbolTable& symbols, uint64_t pc) {
  return LineFinder(symbols.lines).Find(pc);
}

ListingRows::ListingRows(const SymbolTable& symbols, const RowOptions& options)
    : symbols_(&symbols), by_line_(options.by_line) {
  const SymbolTable* listed = &symbols;
  if (options.no_static || options.only_functions) {
    listed = &filtered_.emplace_back(WithoutStatics(symbols, options));
  }
  table_ = BuildFunctionTable(*listed, options.policy);
  if (by_line_) SplitIntoLines();
  FindSources();
}

void ListingRows::SplitIntoLines() {
  Cursor<CodeScope> scopes(symbols_->scopes);
  const std::vector<Naming> naming = NamingSymbols(*symbols_);
  Cursor<Naming> names(naming);
  absl::string_view name;
  const LineRow* previous = nullptr;
  const std::vector<LineRow>& lines = symbols_->lines;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].line == 0 || lines[i].file == 0) continue;
    const uint64_t end = i + 1 < lines.size() ? lines[i + 1].address : symbols_->text_high;
    for (uint64_t at = lines[i].address; at < end;) {
      const CodeScope* scope = scopes.MoveTo(at);
      const Naming* symbol = names.MoveTo(at);
      absl::string_view name_here;
      if (symbol != nullptr) name_here = symbol->symbol->name;
      if (scope != nullptr && scope->name != 0) name_here = symbols_->scope_names[scope->name];
      if (previous == nullptr || previous->line != lines[i].line ||
          previous->file != lines[i].file || name != name_here) {
        FunctionSymbol row;
        row.address = at;
        row.name = std::string(name_here);
        row.is_local = symbol != nullptr && symbol->symbol->is_local;
        line_symbols_.push_back(std::move(row));
        previous = &lines[i];
        name = name_here;
      }
      at = std::min({end, scopes.NextAddress(), names.NextAddress()});
    }
  }

  std::vector<TableFunction> functions = std::move(table_.functions);
  std::vector<TableFunction>& rows = table_.functions;
  rows.clear();
  const bool ends_behind_code = !functions.empty() && !symbols_->functions.empty() &&
                                (functions.back().address > symbols_->functions.back().address ||
                                 functions.back().address >= symbols_->text_high);
  if (ends_behind_code) functions.pop_back();
  const uint64_t end = functions.empty() ? UINT64_MAX : functions.back().end;
  auto line = line_symbols_.begin();
  const auto add_lines_before = [&](uint64_t address) {
    for (; line != line_symbols_.end() && line->address < address; ++line) {
      rows.push_back({line->address, 0, &*line, kNoFunction});
      symbol_ends_.push_back(0);
    }
  };
  for (size_t i = 0; i < functions.size(); ++i) {
    add_lines_before(functions[i].address);
    const bool meets_line = line != line_symbols_.end() && line->address == functions[i].address;
    if (meets_line && functions[i].call_target != i) continue;
    if (meets_line) ++line;
    rows.push_back(functions[i]);
    symbol_ends_.push_back(functions[i].end);
  }
  add_lines_before(UINT64_MAX);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].end = i + 1 < rows.size() ? rows[i + 1].address : end;
    symbol_ends_[i] = std::max(symbol_ends_[i], rows[i].end);
    rows[i].call_target = rows[i].symbol->is_function ? static_cast<uint32_t>(i)
                          : i > 0                     ? rows[i - 1].call_target
                                                      : kNoFunction;
  }
}

void ListingRows::FindSources() {
  Cursor<LineRow> lines(symbols_->lines);
  sources_.reserve(table_.functions.size());
  for (const TableFunction& row : table_.functions) {
    const LineRow* line = lines.MoveTo(row.address);
    if (line == nullptr || line->line == 0 || line->file == 0) {
      sources_.emplace_back();
    } else {
      sources_.push_back({line->file, line->line});
    }
  }
}

std::vector<uint32_t> ListingRows::FilesInOrder() const {
  std::vector<uint32_t> order;
  std::vector<bool> is_known(symbols_->files.size());
  const auto add = [&](uint32_t file) {
    if (file == 0 || is_known[file]) return;
    is_known[file] = true;
    order.push_back(file);
  };
  std::vector<uint32_t> rows(size());
  for (uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
  const auto is_line = [&](uint32_t row) { return by_line_ && !IsFunction(row); };
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    if (is_line(a) != is_line(b)) return is_line(b);
    return !is_line(a) && Symbol(a).table_index < Symbol(b).table_index;
  });
  for (const uint32_t row : rows) add(sources_[row].file);
  return order;
}

}  // namespace gprofhub
