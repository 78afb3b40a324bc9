// GNU gprof takes the symspecs from the last to the first, after those by which it leaves
// itself out. Symbols that one symspec matches, and that lie side by side, are one symbol of
// its table. It has the name of the first.
#include "cli/gprof/traces/symspec_trace.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/listing/symspec.h"
#include "analyzer/listing/symspec_rows.h"
#include "cli/gprof/options/debug_levels.h"
#include "cli/gprof/traces/row_trace.h"

namespace gprofhub::cli {
namespace {

constexpr absl::string_view kTableNames[] = {
    "INCL_GRAPH", "EXCL_GRAPH", "INCL_ARCS", "EXCL_ARCS", "INCL_FLAT", "EXCL_FLAT",
    "INCL_TIME",  "EXCL_TIME",  "INCL_ANNO", "EXCL_ANNO", "INCL_EXEC", "EXCL_EXEC",
};

class SymspecTrace {
 public:
  SymspecTrace(const analyzer::ListingRows& rows, uint64_t text_last, unsigned levels,
               ChosenArcs& chosen)
      : rows_(rows), text_last_(text_last), levels_(levels), chosen_(chosen) {}

  std::string Run(std::vector<SymspecArgument> arguments, SymspecSearches& searches) {
    for (const char* name :
         {"_gprof_mcount", "mcount", "_mcount", "__mcount", "__mcount_internal", "__mcleanup"}) {
      for (const SymspecTable table :
           {SymspecTable::kExcludeTime, SymspecTable::kExcludeGraph, SymspecTable::kExcludeFlat}) {
        arguments.push_back({table, name});
      }
    }
    std::reverse(arguments.begin(), arguments.end());
    for (const SymspecArgument& each : arguments) AddParsed(each.text);
    for (const SymspecArgument& each : arguments) AddMatches(each);
    for (size_t table = 0; table < std::size(kTableNames); ++table) {
      Append("[sym_id_parse] syms[%s]:\n", kTableNames[table]);
      std::vector<TracedSymbol>& symbols = tables_[static_cast<SymspecTable>(table)];
      const bool is_traced = (levels_ & (kTraceSymspecs | kTraceSymbols)) != 0;
      if (symbols.empty()) continue;
      const std::string completed = TraceTable(symbols);
      if (is_traced) out_ += completed;
      searches.SetTable(static_cast<SymspecTable>(table), symbols);
    }
    return std::move(out_);
  }

 private:
  bool IsTraced() const { return (levels_ & kTraceSymspecs) != 0; }

  template <typename... Values>
  void Append(const absl::FormatSpec<Values...>& format, const Values&... values) {
    if (IsTraced()) absl::StrAppendFormat(&out_, format, values...);
  }

  std::string Parsed(const analyzer::Symspec& spec) const {
    std::string out = "*";
    if (spec.file) {
      out = "<non-existent-file>";
      for (const uint32_t file : rows_.FilesInOrder()) {
        if (analyzer::WithoutDirectory(rows_.FileName(file)) == *spec.file)
          out = rows_.FileName(file);
      }
    }
    absl::StrAppend(&out, ":");
    if (spec.line) {
      absl::StrAppend(&out, *spec.line);
    } else {
      absl::StrAppend(&out, spec.function ? *spec.function : "*");
    }
    return out;
  }

  void AddParsed(const std::string& text) {
    const size_t slash = text.find('/');
    std::string parsed = Parsed(analyzer::Symspec::Parse(text.substr(0, slash)));
    if (slash != std::string::npos) {
      absl::StrAppend(&parsed, "/", Parsed(analyzer::Symspec::Parse(text.substr(slash + 1))));
    }
    Append("[parse_id] %s -> %s\n", text, parsed);
  }

  std::vector<analyzer::ChosenRun> RunsBackwards(const std::string& text) const {
    std::vector<analyzer::ChosenRun> runs =
        analyzer::ChosenRuns(rows_, analyzer::Symspec::Parse(text));
    std::reverse(runs.begin(), runs.end());
    return runs;
  }

  TracedSymbol Symbol(const analyzer::ChosenRun& match) const {
    TracedSymbol symbol = TraceRow(rows_, match.first, text_last_);
    symbol.last = LastAddress(rows_, match.last_matched, text_last_);
    return symbol;
  }

  std::string Place(const analyzer::ChosenRun& match) const {
    const TracedSymbol symbol = Symbol(match);
    const std::string& file = rows_.File(match.first);
    return absl::StrFormat("%s:%s(%x-%x)", file.empty() ? "*" : file, symbol.name, symbol.address,
                           symbol.last);
  }

  void AddMatches(const SymspecArgument& argument) {
    const size_t slash = argument.text.find('/');
    const std::vector<analyzer::ChosenRun> matches = RunsBackwards(argument.text.substr(0, slash));
    for (const analyzer::ChosenRun& match : matches)
      tables_[argument.table].push_back(Symbol(match));
    if (slash == std::string::npos) return;
    // Arcs that another option names are traced, too, and mean nothing.
    NamedArcs meaningless(rows_, levels_);
    NamedArcs& arcs = argument.table == SymspecTable::kIncludeArcs   ? chosen_.included
                      : argument.table == SymspecTable::kExcludeArcs ? chosen_.excluded
                                                                     : meaningless;
    const std::vector<analyzer::ChosenRun> others = RunsBackwards(argument.text.substr(slash + 1));
    for (const analyzer::ChosenRun& match : matches) {
      arcs.AddCallers(match);
      for (const analyzer::ChosenRun& other : others) {
        Append("[sym_id_parse]: arc %s -> %s to %s\n", Place(match), Place(other),
               kTableNames[static_cast<size_t>(argument.table)]);
        out_ += arcs.AddCallees(other);
      }
    }
  }

  const analyzer::ListingRows& rows_;
  const uint64_t text_last_;
  const unsigned levels_;
  ChosenArcs& chosen_;
  std::map<SymspecTable, std::vector<TracedSymbol>> tables_;
  std::string out_;
};

}  // namespace

std::string TraceSymspecs(const std::vector<SymspecArgument>& arguments,
                          const analyzer::ListingRows& rows, uint64_t text_last, unsigned levels,
                          ChosenArcs& chosen, SymspecSearches& searches) {
  return SymspecTrace(rows, text_last, levels, chosen).Run(arguments, searches);
}

}  // namespace gprofhub::cli
