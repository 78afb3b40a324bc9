// The rows of listings: functions, or in line-by-line listings pieces of code from one source line.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "analyzer/graph/call_graph.h"
#include "analyzer/graph/function_table.h"
#include "analyzer/graph/measured_times.h"
#include "profile/demangle.h"
#include "profile/raw_profile.h"

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
  // The other linkage names of the function at the row's beginning, of functions that the linker
  // folded into it, and of aliases.
  std::vector<std::string> Aliases(uint32_t row) const;
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

// Symbol specifications, which select the functions of an option (GNU gprof manual, "Symspecs").
//
//     filename.with.a.dot | function | line | [file]:(function | line)

// All given parts must match. Without any part it matches everything.
struct Symspec {
  std::optional<std::string> file;      // without directory
  std::optional<std::string> function;  // linkage name
  std::optional<uint32_t> line;

  // A trailing colon or a dot marks a file. Text that starts with a digit is a line; anything after
  // the digits is ignored.
  static Symspec Parse(absl::string_view text);

  // `path` may have directories. If the source is unknown, `path` is empty and `line_number` 0.
  bool Matches(absl::string_view linkage_name, absl::string_view path, uint32_t line_number) const;
};

// The purpose of a selection by symspecs.
enum class Choice : uint8_t {
  kFlat,      // rows of the flat profile, and the samples that count
  kGraph,     // entries of the call graph
  kTime,      // functions whose time is propagated
  kAnnotate,  // functions annotated in the source
  kCounts,    // rows of the execution counts
};
inline constexpr size_t kChoices = 5;

// The symspecs of a command line.
struct SymspecLists {
  std::vector<Symspec> include[kChoices];
  std::vector<Symspec> exclude[kChoices];
  // Only calls from the first to the second are in the graph (-q from/to), if any row is a caller
  // of them.
  std::vector<std::pair<Symspec, Symspec>> included_arcs;
  // If there are none of those, calls from the first to the second are not in the graph (-k, -Q
  // from/to).
  std::vector<std::pair<Symspec, Symspec>> excluded_arcs;
};

// The text after the last '/'.
absl::string_view WithoutDirectory(absl::string_view path);

// The input of the listings: one image's functions or lines and their call graph.

// The rows chosen for one purpose.
struct ChosenRows {
  std::vector<bool> included;  // by row; empty: no symspec names any row
  std::vector<bool> excluded;  // the same

  bool IsIncluded(uint32_t row) const { return !included.empty() && included[row]; }
  bool IsExcluded(uint32_t row) const { return !excluded.empty() && excluded[row]; }
  // Whether the row is chosen: named, or where none is named, not excluded.
  bool Contains(uint32_t row) const {
    return included.empty() ? !IsExcluded(row) : bool{included[row]};
  }
};

// Names as the listings print them. Most C names are printed unchanged: these refer to the symbol
// table and are not copied.
struct PrintedNames {
  PrintedNames() = default;
  PrintedNames(PrintedNames&&) = default;
  PrintedNames& operator=(PrintedNames&&) = default;

  std::vector<absl::string_view> by_row;      // empty for rows that no listing mentions
  std::vector<std::deque<std::string>> made;  // those that are not in the symbol table

  absl::string_view operator[](size_t row) const { return by_row[row]; }
};

struct ListingInput {
  ListingRows rows;
  CallGraph graph{{}};  // a node for each row, then the cycles
  ChosenRows chosen[kChoices];
  // By node: whether it has an entry in the call graph, unless the entry would be empty.
  std::vector<bool> in_graph;
  bool has_calls = false;    // the profile has arcs
  double total_samples = 0;  // all samples but those of rows that are not in the flat profile
  uint32_t rate = 0;         // samples per unit of the dimension; 0: no histogram
  std::string dimension;     // "seconds"
  char abbreviation = 's';
  std::string measured_note;      // with measured times: a line on their coverage
  std::string quantity_notes;     // lines that explain the counts of quantities
  std::string others_note;        // a line on the samples in other objects; empty: none
  std::vector<StackNode> stacks;  // the recorded ones; functions are rows
  uint64_t bytes_per_bin = 0;     // of code, rounded down to even
  PrintedNames names;             // if a table is printed
  // By row, if a table prints index numbers: RanksByName.
  std::vector<uint32_t> name_ranks;

  // Whether the linkage name of row `a` comes before that of `b`. Equal names may come in
  // the order of their addresses.
  bool NameBefore(uint32_t a, uint32_t b) const {
    return name_ranks.empty() ? rows.LinkageName(a) < rows.LinkageName(b)
                              : name_ranks[a] < name_ranks[b];
  }

  const ChosenRows& Chosen(Choice choice) const { return chosen[static_cast<size_t>(choice)]; }
};

// Selection of rows by a symspec.

// A run of adjacent rows that a symspec matches, and the rows behind it that it chooses too.
struct ChosenRun {
  uint32_t first = 0;
  uint32_t last_matched = 0;
  uint32_t last_chosen = 0;  // before the next run
  // The same for callers of calls (-k, -q from/to), regardless of other runs.
  uint32_t last_caller = 0;
};

// In the order of the rows.
std::vector<ChosenRun> ChosenRuns(const ListingRows& rows, const Symspec& spec);

// Selects the rows and calls of the listings by symspecs.

// Fills `chosen` of `input`, whose rows must be filled. The profiler's own functions are in neither
// table.
void ChooseRows(const SymspecLists& lists, ListingInput& input);

// The role of a row's time, by the rows chosen for times.
TimeRole RoleOf(const ChosenRows& rows, uint32_t row);

// Fills `in_graph` of `input`, whose graph is finished. Functions have an entry if a caller
// has one, unless they are chosen or excluded themselves. Functions without callers have
// one if they are chosen.
void ChooseEntries(ListingInput& input);

// The calls that symspecs leave in the graph.
class ArcFilter {
 public:
  ArcFilter(const ListingRows& rows, const SymspecLists& lists)
      : included_(rows, lists.included_arcs),
        excluded_(rows, lists.excluded_arcs),
        accepts_all_(!included_.has_callers && excluded_.pairs.empty()) {}

  bool Accepts(uint32_t caller, uint32_t callee) const {
    if (accepts_all_) return true;
    return included_.has_callers ? included_.Has(caller, callee) : !excluded_.Has(caller, callee);
  }

 private:
  struct Pair {
    std::vector<bool> from;
    std::vector<bool> to;
  };

  struct Pairs {
    Pairs(const ListingRows& rows, const std::vector<std::pair<Symspec, Symspec>>& specs);
    bool Has(uint32_t caller, uint32_t callee) const;

    std::vector<Pair> pairs;
    bool has_callers = false;
  };

  const Pairs included_;
  const Pairs excluded_;
  const bool accepts_all_;
};

// Contents and format of a listing.

// The tables to print.
struct Tables {
  bool flat = true;
  bool graph = true;  // with its index by name
};

struct ListingOptions {
  Tables tables;
  bool explain = true;             // print the meaning of the columns after each table
  bool show_unused = false;        // list functions without samples and calls too
  bool traditional = false;        // 4.3BSD's style
  bool expected_error = false;     // the sampling error next to each time
  bool full_paths = false;         // source files with their directories
  bool inline_file_names = false;  // name every function's file and line, too
  bool name_aliases = false;       // name a function's aliases, too (ListingRows::Aliases)
  uint64_t width = 80;             // of the lines of the index by name
  // Names as in the source; without a style, as the linker has them.
  std::optional<profile::DemanglingStyle> demangling = profile::DemanglingStyle::kAuto;
  RowOptions rows;
  SymspecLists symspecs;

  bool HasTables() const { return tables.flat || tables.graph; }
  // Whether a table prints index numbers, which identify entries of the call graph.
  bool HasIndexNumbers() const { return tables.graph || (tables.flat && traditional); }
};

// The names of rows as the listings print them.

// By row: the name, in line-by-line listings followed by " (file:line @ address)"
// if the line is known. Needs the rows and their graph, without times. Names are demangled by both
// processors.
PrintedNames PrintNames(const ListingInput& input, const ListingOptions& options);

// By row: its place among the linkage names in ascending order, equal names in the order
// of the rows.
std::vector<uint32_t> RanksByName(const ListingRows& rows);

// The source file, with or without directories according to the options.
absl::string_view PrintedFile(const std::string& path, const ListingOptions& options);

// Quantities among the functions of a listing (profile/names.h).

// A line for each quantity that was counted: "The calls of gprofhub_allocated_bytes are bytes.\n".
std::string QuantityNotes(const ListingInput& input);

// The unit of a quantity's calls (profile::UnitName); empty for a function.
absl::string_view QuantityUnit(absl::string_view linkage_name);

}  // namespace gprofhub::analyzer
