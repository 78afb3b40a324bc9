#include "analyzer/listing/tables.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/listing/call_graph_table.h"
#include "analyzer/listing/explanations.h"
#include "analyzer/listing/rows.h"
#include "analyzer/listing/text_buffer.h"
#include "base/parallel.h"

namespace gprofhub::analyzer {

std::string PrintCutCycles(const ListingInput& input, const CycleBreaking& breaking) {
  if (breaking.found.empty()) {
    return absl::StrCat("no cycle has ", breaking.least_members, " functions or more\n");
  }
  std::string text;
  for (const CutCycle& cycle : breaking.found) {
    const std::string bound = cycle.arcs.size() == cycle.at_least
                                  ? "this is the minimum"
                                  : absl::StrCat("the minimum is at least ", cycle.at_least);
    absl::StrAppendFormat(&text, "cycle of %d functions: %d arcs with %d calls break it; %s%s\n",
                          cycle.members, cycle.arcs.size(), cycle.calls, bound,
                          breaking.cut ? "; they are removed below" : "");
    for (const GraphArc& arc : cycle.arcs) {
      absl::StrAppendFormat(&text, "%12d  -k %s/%s\n", arc.count,
                            input.rows.LinkageName(arc.caller), input.rows.LinkageName(arc.callee));
    }
  }
  return text;
}

namespace {

// The flat profile: every function with its self time and calls.

// The rows to print, by falling self time, then calls, then name.
std::vector<uint32_t> RowsOfFlatListing(const ListingInput& input, const ListingOptions& options);

// `rows` are RowsOfFlatListing; `index_numbers`, for the traditional style only, each node's place
// in the call graph.
void PrintFlatListing(const ListingInput& input, const ListingOptions& options,
                      const std::vector<uint32_t>& rows, const std::vector<uint32_t>& index_numbers,
                      TextSink sink);

// Unit of the per-call columns.
struct CallUnit {
  char prefix;
  double scale;  // units per second
};

// From coarse to fine.
constexpr CallUnit kCallUnits[] = {
    {'T', 1e-12}, {'G', 1e-9}, {'M', 1e-6}, {'K', 1e-3}, {' ', 1},    {'m', 1e3},
    {'u', 1e6},   {'n', 1e9},  {'p', 1e12}, {'f', 1e15}, {'a', 1e18},
};
constexpr CallUnit kTraditionalUnit = {'m', 1e3};

bool IsPrinted(const ListingInput& input, const ListingOptions& options, uint32_t row) {
  if (!options.show_unused && !input.graph.nodes[row].IsUsed()) return false;
  return input.Chosen(Choice::kFlat).Contains(row);
}

class FlatListing {
 public:
  FlatListing(const ListingInput& input, const ListingOptions& options,
              const std::vector<uint32_t>& rows, const std::vector<uint32_t>& index_numbers)
      : input_(input),
        options_(options),
        rows_(rows),
        index_numbers_(index_numbers),
        rate_(std::max(input.rate, 1u)),
        unit_(options.traditional ? kTraditionalUnit : ChooseUnit()) {}

  void Print(TextSink sink) {
    const std::vector<double> cumulative = CumulativeSamples();
    sink(Header());
    constexpr size_t kRowsPerPiece = 1000;
    FormatInOrder(
        rows_.size(), kRowsPerPiece,
        [&](size_t begin, size_t end, TextBuffer& out) { PrintRows(cumulative, begin, end, out); },
        sink);
    if (options_.explain && !options_.traditional) sink(kFlatExplanation);
  }

 private:
  // By place in rows_: cumulative self samples.
  std::vector<double> CumulativeSamples() const {
    std::vector<double> cumulative(rows_.size());
    double sum = 0;
    base::ForEachFetched(
        0, rows_.size(),
        [&](size_t i) {
          sum += input_.graph.nodes[rows_[i]].self;
          cumulative[i] = sum;
        },
        base::FetchAhead{8, [&](size_t i) { base::Prefetch(&input_.graph.nodes[rows_[i]]); }});
    return cumulative;
  }

  // Prints rows_[begin] to rows_[end - 1].
  void PrintRows(const std::vector<double>& cumulative, size_t begin, size_t end,
                 TextBuffer& out) const {
    base::ForEachFetched(
        begin, end,
        [&](size_t i) {
          const uint32_t row = rows_[i];
          Row(row, cumulative[i], out);
        },
        base::FetchAhead{16,
                         [&](size_t i) {
                           base::Prefetch(&input_.graph.nodes[rows_[i]]);
                           base::Prefetch(&input_.names.by_row[rows_[i]]);
                         }},
        base::FetchAhead{8, [&](size_t i) { base::Prefetch(input_.names[rows_[i]].data()); }});
  }

  // The coarsest unit in which the most expensive call is at least 1; without any time, the
  // coarsest unit.
  CallUnit ChooseUnit() const {
    double dearest = 0;  // samples
    for (size_t i = 0; i < input_.graph.function_count(); ++i) {
      const GraphNode& node = input_.graph.nodes[i];
      if (node.calls == 0) continue;
      dearest = std::max(dearest, (node.self + node.child) / static_cast<double>(node.calls));
    }
    if (dearest <= 0) return kCallUnits[0];
    for (const CallUnit& unit : kCallUnits) {
      if (unit.scale * (dearest / rate_) >= 1) return unit;
    }
    return *std::rbegin(kCallUnits);
  }

  std::string Header() const {
    std::string out;
    const bool has_time = input_.total_samples > 0;
    if (options_.traditional) {
      if (options_.explain) absl::StrAppend(&out, "\n\n\nflat profile:\n", kFlatExplanation);
      absl::StrAppendFormat(&out, "\ngranularity: each sample hit covers %d byte(s)",
                            input_.bytes_per_bin);
      if (has_time) {
        absl::StrAppendFormat(&out, " for %.2f%% of %.2f %s\n\n", 100.0 / input_.total_samples,
                              input_.total_samples / rate_, input_.dimension);
      } else {
        absl::StrAppend(&out, " no time accumulated\n\n");
      }
    } else {
      absl::StrAppendFormat(&out, "Flat profile:\n\nEach sample counts as %g %s.\n", 1.0 / rate_,
                            input_.dimension);
      if (!has_time) absl::StrAppend(&out, " no time accumulated\n\n");
    }
    out += input_.quantity_notes;
    out += input_.others_note;
    if (options_.expected_error && options_.explain) absl::StrAppend(&out, kErrorExplanation);
    const std::string per_call = absl::StrFormat("%c%c/call", unit_.prefix, input_.abbreviation);
    absl::StrAppendFormat(&out, "%5.5s %10.10s%s %8.8s%s %8.8s %8.8s%s %8.8s%s  %-8.8s\n", "%  ",
                          "cumulative", ErrorHead(""), "self  ", ErrorHead(""), "", "self  ",
                          ErrorHead(""), "total ", ErrorHead(""), "");
    absl::StrAppendFormat(&out, "%5.5s %9.9s %s %8.8s%s %8.8s %8.8s%s %8.8s%s  %-8.8s\n", "time",
                          input_.dimension, ErrorHead("error "), input_.dimension,
                          ErrorHead("error "), "calls", per_call, ErrorHead("error "), per_call,
                          ErrorHead("error "), "name");
    return out;
  }

  // The header of an expected error's column.
  std::string ErrorHead(absl::string_view head) const {
    return options_.expected_error ? absl::StrFormat("%*s", kErrorWidth, head) : "";
  }

  void AppendError(double samples, double scale, TextBuffer& out) const {
    if (options_.expected_error) AppendExpectedError(samples, scale, out);
  }

  void Row(uint32_t row, double cumulative, TextBuffer& out) const {
    const GraphNode& node = input_.graph.nodes[row];
    const double total = input_.total_samples > 0 ? input_.total_samples : 1;
    if (options_.traditional) {
      out.Fixed(100 * node.self / total, 5, 1);
      out.Append(' ');
      out.Fixed(cumulative / rate_, 10, 2);
    } else {
      out.Fixed(100 * node.self / total, 6, 2);
      out.Append(' ');
      out.Fixed(cumulative / rate_, 9, 2);
    }
    AppendError(cumulative, 1 / rate_, out);
    out.Append(' ');
    out.Fixed(node.self / rate_, 8, 2);
    AppendError(node.self, 1 / rate_, out);
    if (node.calls != 0) {
      const double calls = static_cast<double>(node.calls);
      out.Append(' ');
      out.Integer(node.calls, 8);
      out.Append(' ');
      out.Fixed(unit_.scale * node.self / rate_ / calls, 8, 2);
      AppendError(node.self, unit_.scale / rate_ / calls, out);
      out.Append(' ');
      out.Fixed(unit_.scale * (node.self + node.child) / rate_ / calls, 8, 2);
      AppendError(node.self + node.child, unit_.scale / rate_ / calls, out);
      out.Spaces(2);
    } else {
      out.Spaces(29 + (options_.expected_error ? 2 * kErrorWidth : 0));
    }
    out.Append(input_.names[row]);
    if (options_.traditional && input_.has_calls)
      AppendIndexNumber(input_, index_numbers_, row, out);
    out.Append('\n');
  }

  const ListingInput& input_;
  const ListingOptions& options_;
  const std::vector<uint32_t>& rows_;
  const std::vector<uint32_t>& index_numbers_;
  const double rate_;
  const CallUnit unit_;
};

std::vector<uint32_t> RowsOfFlatListing(const ListingInput& input, const ListingOptions& options) {
  // The fields that most comparisons read, close together in memory.
  struct Key {
    double self;
    uint64_t calls;
    uint32_t row;
  };
  std::vector<Key> keys;
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    const GraphNode& node = input.graph.nodes[row];
    if (!IsPrinted(input, options, row)) continue;
    keys.push_back({node.self, node.calls, row});
  }
  std::stable_sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    if (a.self != b.self) return a.self > b.self;
    if (a.calls != b.calls) return a.calls > b.calls;
    return input.NameBefore(a.row, b.row);
  });
  std::vector<uint32_t> rows;
  rows.reserve(keys.size());
  for (const Key& key : keys) rows.push_back(key.row);
  return rows;
}

void PrintFlatListing(const ListingInput& input, const ListingOptions& options,
                      const std::vector<uint32_t>& rows, const std::vector<uint32_t>& index_numbers,
                      TextSink sink) {
  FlatListing(input, options, rows, index_numbers).Print(sink);
}

// The index by name that ends the call graph.

// Every function of the flat profile and every cycle, with its place in the
// graph, in column-major order. `index_numbers` are IndexNumbers.
void PrintNameIndex(const ListingInput& input, const ListingOptions& options,
                    const std::vector<uint32_t>& index_numbers, TextSink sink);

constexpr size_t kNumberWidth = 6;  // of "[1234]"
constexpr size_t kTraditionalNameWidth = 19;
constexpr size_t kColumns = 3;

class NameIndex {
 public:
  NameIndex(const ListingInput& input, const ListingOptions& options,
            const std::vector<uint32_t>& index_numbers)
      : input_(input), options_(options), index_numbers_(index_numbers) {}

  void Print(TextSink sink) const {
    const std::vector<uint32_t> entries = SortedEntries();
    const size_t rows = (entries.size() + kColumns - 1) / kColumns;
    sink("Index by function name\n\n");
    constexpr size_t kRowsPerPiece = 500;
    FormatInOrder(
        rows, kRowsPerPiece,
        [&](size_t begin, size_t end, TextBuffer& out) {
          for (size_t row = begin; row < end; ++row) PrintRow(entries, row, rows, out);
        },
        sink);
  }

 private:
  void PrintRow(const std::vector<uint32_t>& entries, size_t row, size_t rows,
                TextBuffer& out) const {
    const size_t line_start = out.size();
    for (size_t column = 0; column < kColumns; ++column) {
      const size_t entry = column * rows + row;
      if (entry >= entries.size()) break;
      AppendEntry(entries[entry], line_start + column * ColumnPitch(), out);
    }
    out.Append('\n');
  }

  bool IsCycle(uint32_t node) const { return node >= input_.graph.function_count(); }

  // Distance between the beginnings of columns. The last place of a line stays empty.
  size_t ColumnPitch() const {
    if (options_.traditional) return kNumberWidth + 1 + kTraditionalNameWidth;
    return (options_.width == 0 ? 0 : (options_.width - 1) / kColumns) + 2;
  }

  // Functions by name, then the cycles.
  std::vector<uint32_t> SortedEntries() const {
    const CallGraph& graph = input_.graph;
    std::vector<uint32_t> by_name(input_.rows.size());
    for (uint32_t row = 0; row < by_name.size(); ++row) by_name[input_.name_ranks[row]] = row;
    std::vector<uint32_t> entries;
    for (const uint32_t row : by_name) {
      if (options_.show_unused || graph.nodes[row].IsUsed()) entries.push_back(row);
    }
    for (uint32_t node = static_cast<uint32_t>(by_name.size()); node < graph.nodes.size(); ++node) {
      entries.push_back(node);
    }
    return entries;
  }

  std::string EntryName(uint32_t node) const {
    std::string name;
    if (IsCycle(node)) {
      name = absl::StrCat("<cycle ", node - input_.graph.function_count() + 1, ">");
    } else if (options_.traditional) {
      name = input_.rows.LinkageName(node);
    } else {
      name = std::string(input_.names[node]);
      if (!input_.rows.by_line() && input_.rows.IsLocal(node) && input_.rows.Line(node) != 0) {
        absl::StrAppend(&name, " (", PrintedFile(input_.rows.File(node), options_), ")");
      }
    }
    if (options_.traditional) name.resize(kTraditionalNameWidth, ' ');
    return name;
  }

  // Numbers end in the same column of the text from `column_start` on; a long
  // name pushes the next number along.
  void AppendEntry(uint32_t node, size_t column_start, TextBuffer& out) const {
    const bool is_printed = input_.in_graph[node];
    std::string number =
        absl::StrCat(is_printed ? "[" : "(", index_numbers_[node], is_printed ? "]" : ")");
    // That style keeps its columns: numbers of five digits lose the bracket.
    if (options_.traditional && number.size() > kNumberWidth) number.resize(kNumberWidth);
    const size_t used = out.size() + number.size();
    const size_t end = column_start + kNumberWidth;
    out.Spaces(end > used ? end - used : (options_.traditional ? 0 : 1));
    out.Append(number);
    out.Append(' ');
    out.Append(EntryName(node));
  }

  const ListingInput& input_;
  const ListingOptions& options_;
  const std::vector<uint32_t>& index_numbers_;
};

void PrintNameIndex(const ListingInput& input, const ListingOptions& options,
                    const std::vector<uint32_t>& index_numbers, TextSink sink) {
  NameIndex(input, options, index_numbers).Print(sink);
}

}  // namespace

void PrintTables(const ListingInput& input, const ListingOptions& options, Pages& pages) {
  const Tables& tables = options.tables;
  constexpr size_t kRowsWorthAThread = 10000;
  std::vector<uint32_t> index_numbers;
  std::vector<uint32_t> flat_rows;
  base::RunBoth(
      tables.flat && tables.graph && input.rows.size() >= kRowsWorthAThread,
      [&] {
        if (options.HasIndexNumbers()) index_numbers = IndexNumbers(input);
      },
      [&] {
        if (tables.flat) flat_rows = RowsOfFlatListing(input, options);
      });
  const auto print_flat = [&] {
    if (!tables.flat) return;
    pages.Begin();
    PrintFlatListing(input, options, flat_rows, index_numbers, pages.sink());
  };
  if (!options.traditional) print_flat();
  if (tables.graph) {
    // In this style the explanation precedes the page.
    if (options.traditional && options.explain) {
      pages.sink()(absl::StrCat("\n\n\n", kTraditionalGraphExplanation));
    }
    pages.Begin();
    PrintGraphListing(input, options, index_numbers, pages.sink());
  }
  if (options.traditional) print_flat();
  if (tables.graph) {
    pages.Begin();
    PrintNameIndex(input, options, index_numbers, pages.sink());
  }
}

}  // namespace gprofhub::analyzer
