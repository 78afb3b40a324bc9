// Rows of line-by-line listings, as GNU gprof 2.40 forms them (observed):
//  - each piece of analyzer/graph/function_table.h is a row;
//  - functions, and labels without a known line, are rows of their own. If a function and a line
//    begin at one address, the row is the function's, so that calls find it. A line takes
//    precedence over a label;
//  - the last label, which lies in the data or at the end of the code, is omitted.
#include "analyzer/listing/rows.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "analyzer/graph/function_table.h"
#include "base/parallel.h"
#include "profile/demangle.h"
#include "profile/names.h"

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

std::vector<std::string> ListingRows::Aliases(uint32_t row) const {
  std::vector<std::string> names;
  if (!IsFunction(row)) return names;
  for (const profile::FunctionSymbol& symbol : SymbolsAt(*symbols_, Address(row))) {
    if (symbol.is_function && symbol.name != LinkageName(row)) names.push_back(symbol.name);
  }
  return names;
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

namespace {

// Parses leading digits; absl::SimpleAtoi would reject trailing text.
uint32_t LeadingNumber(absl::string_view text) {
  uint64_t number = 0;
  for (const char c : text) {
    if (!absl::ascii_isdigit(c)) break;
    number = std::min<uint64_t>(number * 10 + (c - '0'), UINT32_MAX);
  }
  return static_cast<uint32_t>(number);
}

void ParseFunctionOrLine(absl::string_view text, Symspec& spec) {
  if (absl::ascii_isdigit(text[0])) {
    // Line 0, as in "0x401136", matches any line of any function.
    if (const uint32_t line = LeadingNumber(text); line != 0) spec.line = line;
  } else {
    spec.function = std::string(text);
  }
}

}  // namespace

Symspec Symspec::Parse(absl::string_view text) {
  Symspec spec;
  const size_t colon = text.rfind(':');
  if (colon != absl::string_view::npos) {
    if (colon > 0) spec.file = std::string(text.substr(0, colon));
    if (colon + 1 < text.size()) ParseFunctionOrLine(text.substr(colon + 1), spec);
  } else if (absl::StrContains(text, '.')) {
    spec.file = std::string(text);
  } else if (!text.empty()) {
    ParseFunctionOrLine(text, spec);
  }
  return spec;
}

bool Symspec::Matches(absl::string_view linkage_name, absl::string_view path,
                      uint32_t line_number) const {
  if (function && absl::string_view(*function) != linkage_name) return false;
  if (line && (line_number == 0 || *line != line_number)) return false;
  return !file || absl::string_view(*file) == WithoutDirectory(path);
}

absl::string_view WithoutDirectory(absl::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Line-by-line listings, as GNU gprof 2.40 chooses rows (observed): the row of a function's first
// line represents the whole function, whose lines have rows of their own. A symspec that matches
// that row but not the next row also chooses the function's further rows: "-l -p 12" selects the
// function that begins in line 12. It chooses rows only up to the next match, unless it names
// callers.

std::vector<ChosenRun> ChosenRuns(const ListingRows& rows, const Symspec& spec) {
  std::vector<ChosenRun> runs;
  for (uint32_t row = 0; row < rows.size(); ++row) {
    if (spec.Matches(rows.LinkageName(row), rows.File(row), rows.Line(row))) {
      if (runs.empty() || runs.back().last_matched + 1 != row) runs.push_back({row, row, row, row});
      runs.back().last_matched = row;
      runs.back().last_chosen = row;
    } else if (!runs.empty() && rows.Address(row) < rows.SymbolEnd(runs.back().last_matched)) {
      runs.back().last_chosen = row;
    }
  }
  for (ChosenRun& run : runs) {
    run.last_caller = run.last_chosen;
    const uint64_t end = rows.SymbolEnd(run.last_matched);
    while (run.last_caller + 1 < rows.size() && rows.Address(run.last_caller + 1) < end) {
      ++run.last_caller;
    }
  }
  return runs;
}

namespace {

// Names of the profiler's own functions over the decades. Their time does not belong to the
// program.
bool IsProfiler(absl::string_view name) {
  static constexpr absl::string_view kNames[] = {
      "_gprof_mcount",     "mcount",     "_mcount",  "__mcount",
      "__mcount_internal", "__mcleanup", "<locore>", "<hicore>",
  };
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

// By row: whether one of the specs chooses it; empty if no spec chooses a row. `last` selects which
// end of a run of chosen rows counts.
std::vector<bool> MatchRows(const ListingRows& rows, const std::vector<Symspec>& specs,
                            uint32_t ChosenRun::*last = &ChosenRun::last_chosen) {
  std::vector<bool> matched;
  for (const Symspec& spec : specs) {
    for (const ChosenRun& run : ChosenRuns(rows, spec)) {
      matched.resize(rows.size());
      std::fill(matched.begin() + run.first, matched.begin() + run.*last + 1, true);
    }
  }
  return matched;
}

}  // namespace

void ChooseRows(const SymspecLists& lists, ListingInput& input) {
  for (size_t choice = 0; choice < kChoices; ++choice) {
    input.chosen[choice] = {MatchRows(input.rows, lists.include[choice]),
                            MatchRows(input.rows, lists.exclude[choice])};
  }
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    if (!IsProfiler(input.rows.LinkageName(row))) continue;
    for (const Choice choice : {Choice::kFlat, Choice::kGraph, Choice::kTime}) {
      std::vector<bool>& excluded = input.chosen[static_cast<size_t>(choice)].excluded;
      excluded.resize(input.rows.size());
      excluded[row] = true;
    }
  }
}

TimeRole RoleOf(const ChosenRows& rows, uint32_t row) {
  if (rows.Contains(row)) return TimeRole::kCounted;
  return rows.IsExcluded(row) ? TimeRole::kExcluded : TimeRole::kInherited;
}

ArcFilter::Pairs::Pairs(const ListingRows& rows,
                        const std::vector<std::pair<Symspec, Symspec>>& specs) {
  for (const auto& [from, to] : specs) {
    Pair pair{MatchRows(rows, {from}, &ChosenRun::last_caller),
              MatchRows(rows, {to}, &ChosenRun::last_matched)};
    has_callers |= !pair.from.empty();
    if (!pair.from.empty() && !pair.to.empty()) pairs.push_back(std::move(pair));
  }
}

bool ArcFilter::Pairs::Has(uint32_t caller, uint32_t callee) const {
  return std::any_of(pairs.begin(), pairs.end(),
                     [&](const Pair& pair) { return pair.from[caller] && pair.to[callee]; });
}

void ChooseEntries(ListingInput& input) {
  const CallGraph& graph = input.graph;
  const ChosenRows& chosen = input.Chosen(Choice::kGraph);
  input.in_graph.assign(graph.nodes.size(), false);
  for (auto node = graph.callees_first.rbegin(); node != graph.callees_first.rend(); ++node) {
    const uint32_t function = *node;
    // With its callers or without: nothing was chosen, and it is not excluded.
    if (function < graph.function_count() && chosen.included.empty() &&
        !chosen.IsExcluded(function)) {
      input.in_graph[function] = true;
      continue;
    }
    const absl::Span<const uint32_t> members =
        function < graph.function_count()
            ? absl::MakeConstSpan(&function, 1)
            : absl::MakeConstSpan(graph.cycles[function - graph.function_count()]);
    bool inherited = false;
    for (const uint32_t member : members) {
      for (const uint32_t arc : graph.ArcsTo(member)) {
        const uint32_t caller = graph.arcs[arc].caller;
        if (graph.Representative(caller) != *node && input.in_graph[caller]) inherited = true;
      }
    }
    input.in_graph[*node] = inherited;
    for (const uint32_t member : members) {
      input.in_graph[member] = inherited ? chosen.IsIncluded(member) || !chosen.IsExcluded(member)
                                         : chosen.Contains(member);
    }
  }
}

namespace {

// Fewer are done before a thread has started.
constexpr size_t kNamesWorthAThread = 2000;

bool IsMentioned(const ListingInput& input, const ListingOptions& options, uint32_t row) {
  const CallGraph& graph = input.graph;
  if (options.show_unused || graph.nodes[row].IsUsed()) return true;
  const bool is_in_graph = graph.SpontaneousCalls(row) != 0 || !graph.ArcsFrom(row).empty() ||
                           !graph.ArcsTo(row).empty();
  return is_in_graph && options.tables.graph;
}

// " (also f, g, 5 more)"; empty if the function has no other names.
std::string OtherNames(const ListingRows& rows, uint32_t row, const std::string& name,
                       absl::FunctionRef<std::string(const std::string&)> display) {
  constexpr size_t kMostNamed = 3;
  std::vector<std::string> others;
  for (const std::string& alias : rows.Aliases(row)) {
    std::string other = display(alias);
    // Variants of a constructor have one name.
    if (other == name || absl::c_linear_search(others, other)) continue;
    others.push_back(std::move(other));
  }
  if (others.empty()) return "";
  const size_t more = others.size() - std::min(others.size(), kMostNamed);
  others.resize(others.size() - more);
  return absl::StrCat(" (also ", absl::StrJoin(others, ", "),
                      more > 0 ? absl::StrCat(", ", more, " more") : "", ")");
}

std::string PrintedName(const ListingRows& rows, const ListingOptions& options, uint32_t row) {
  const auto display = [&](const std::string& linkage_name) {
    return options.demangling.has_value() ? profile::Demangle(linkage_name, *options.demangling)
                                          : linkage_name;
  };
  std::string name = display(rows.LinkageName(row));
  if (options.name_aliases) name += OtherNames(rows, row, name, display);
  if ((rows.by_line() || options.inline_file_names) && rows.Line(row) != 0) {
    absl::StrAppend(&name, " (", PrintedFile(rows.File(row), options), ":", rows.Line(row));
    if (rows.by_line()) absl::StrAppend(&name, " @ ", absl::Hex(rows.Address(row)));
    name += ')';
  }
  return name;
}

}  // namespace

PrintedNames PrintNames(const ListingInput& input, const ListingOptions& options) {
  PrintedNames names;
  names.by_row.resize(input.rows.size());
  std::vector<uint32_t> mentioned;
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    if (IsMentioned(input, options, row)) mentioned.push_back(row);
  }
  names.made.resize(2);
  base::ForBothHalves(mentioned.size(), kNamesWorthAThread, [&](size_t begin, size_t end) {
    std::deque<std::string>& made = names.made[begin == 0 ? 0 : 1];
    for (size_t i = begin; i < end; ++i) {
      const uint32_t row = mentioned[i];
      const std::string& linkage_name = input.rows.LinkageName(row);
      std::string name = PrintedName(input.rows, options, row);
      if (name == linkage_name) {
        names.by_row[row] = linkage_name;
      } else {
        names.by_row[row] = made.emplace_back(std::move(name));
      }
    }
  });
  return names;
}

std::vector<uint32_t> RanksByName(const ListingRows& rows) {
  // Names lie in memory in the order of the rows, which mostly agrees with the order of names.
  // Merging follows both.
  struct Named {
    absl::string_view name;
    uint32_t row;
  };
  std::vector<Named> order;
  order.reserve(rows.size());
  for (uint32_t row = 0; row < rows.size(); ++row) order.push_back({rows.LinkageName(row), row});
  std::stable_sort(order.begin(), order.end(),
                   [](const Named& a, const Named& b) { return a.name < b.name; });
  std::vector<uint32_t> ranks(rows.size());
  for (uint32_t rank = 0; rank < order.size(); ++rank) ranks[order[rank].row] = rank;
  return ranks;
}

absl::string_view PrintedFile(const std::string& path, const ListingOptions& options) {
  return options.full_paths ? absl::string_view(path) : WithoutDirectory(path);
}

absl::string_view QuantityUnit(absl::string_view linkage_name) {
  if (!profile::IsQuantity(linkage_name)) return "";
  return profile::UnitName(profile::UnitOfCalls(linkage_name));
}

std::string QuantityNotes(const ListingInput& input) {
  std::string notes;
  for (uint32_t row = 0; row < input.graph.function_count(); ++row) {
    if (input.graph.nodes[row].calls == 0) continue;
    const absl::string_view name = input.rows.LinkageName(row);
    const absl::string_view unit = QuantityUnit(name);
    if (!unit.empty()) absl::StrAppend(&notes, "The calls of ", name, " are ", unit, ".\n");
  }
  return notes;
}

}  // namespace gprofhub::analyzer
