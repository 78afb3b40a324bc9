// Rows of line-by-line listings, as GNU gprof 2.40 forms them (observed):
//  - each piece of analyzer/functions/code_by_line.h is a row;
//  - functions, and labels without a known line, are rows of their own. If a function and a line
//    begin at one address, the row is the function's, so that calls find it. A line takes
//    precedence over a label;
//  - the last label, which lies in the data or at the end of the code, is omitted.
#include "analyzer/listing/rows.h"

#include <algorithm>
#include <utility>

#include "analyzer/functions/code_by_line.h"
#include "analyzer/functions/line_finder.h"

namespace gprofhub::analyzer {
namespace {

// `symbols` without those that the options exclude. Contains only the fields that a function table
// needs.
profile::SymbolTable WithoutStatics(const profile::SymbolTable& symbols,
                                    const RowOptions& options) {
  profile::SymbolTable filtered;
  filtered.text_low = symbols.text_low;
  filtered.text_high = symbols.text_high;
  filtered.etext = symbols.etext;
  filtered.weak_labels = symbols.weak_labels;
  std::copy_if(symbols.functions.begin(), symbols.functions.end(),
               std::back_inserter(filtered.functions), [&](const profile::FunctionSymbol& symbol) {
                 if (!symbol.is_local) return true;
                 return !options.no_static && (symbol.is_function || !options.only_functions);
               });
  return filtered;
}

}  // namespace

ListingRows::ListingRows(const profile::SymbolTable& symbols, const RowOptions& options)
    : symbols_(&symbols), by_line_(options.by_line) {
  const profile::SymbolTable* listed = &symbols;
  if ((options.no_static || options.only_functions) && !symbols.has_chosen_functions) {
    listed = &filtered_.emplace_back(WithoutStatics(symbols, options));
  }
  table_ = BuildFunctionTable(*listed, options.policy);
  if (by_line_ && !symbols.has_chosen_functions) SplitIntoLines();
  FindSources();
}

void ListingRows::SplitIntoLines() {
  const std::vector<LineCode> pieces = CodeByLine(*symbols_);
  std::vector<TableFunction> functions = std::move(table_.functions);
  const bool ends_behind_code = !functions.empty() && !symbols_->functions.empty() &&
                                (functions.back().address > symbols_->functions.back().address ||
                                 functions.back().address >= symbols_->text_high);
  if (ends_behind_code) functions.pop_back();
  const uint64_t end = functions.empty() ? UINT64_MAX : functions.back().end;

  std::vector<TableFunction>& rows = table_.functions;
  rows.clear();
  rows.reserve(pieces.size() + functions.size());
  symbol_ends_.reserve(pieces.size() + functions.size());
  names_.reserve(pieces.size() + functions.size());
  const auto add = [&](const TableFunction& row, const std::string& name) {
    rows.push_back(row);
    symbol_ends_.push_back(row.end);
    names_.push_back(&name);
  };
  uint32_t left_out = kNoSymbol;  // label in the place of the next piece
  auto piece = pieces.begin();
  const auto add_pieces_before = [&](uint64_t address) {
    for (; piece != pieces.end() && piece->address < address; ++piece) {
      add({piece->address, 0, piece->symbol, kNoFunction, std::exchange(left_out, kNoSymbol)},
          *piece->name);
    }
  };
  for (size_t i = 0; i < functions.size(); ++i) {
    add_pieces_before(functions[i].address);
    const bool meets_piece = piece != pieces.end() && piece->address == functions[i].address;
    if (meets_piece && functions[i].call_target != i) {
      left_out = functions[i].first_index;
      continue;
    }
    if (meets_piece) ++piece;
    add(functions[i], functions[i].symbol->name);
    const auto row = static_cast<uint32_t>(rows.size() - 1);
    rows.back().call_target = functions[i].symbol->is_function ? row : kNoFunction;
  }
  add_pieces_before(UINT64_MAX);
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].end = i + 1 < rows.size() ? rows[i + 1].address : end;
    symbol_ends_[i] = std::max(symbol_ends_[i], rows[i].end);
    if (rows[i].call_target != i && i > 0) rows[i].call_target = rows[i - 1].call_target;
  }
}

void ListingRows::FindSources() {
  LineFinder lines(symbols_->lines);
  sources_.reserve(table_.functions.size());
  for (const TableFunction& row : table_.functions) {
    const profile::LineRow* line = lines.Find(row.address);
    if (line == nullptr || line->file == 0) {
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
  std::stable_sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    return table_.functions[a].first_index < table_.functions[b].first_index;
  });
  for (const uint32_t row : rows) add(sources_[row].file);
  return order;
}

}  // namespace gprofhub::analyzer
