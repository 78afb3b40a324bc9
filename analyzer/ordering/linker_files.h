// Which object file each function is in: what gprof's --file-ordering needs to
// order object files as it orders functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "analyzer/ordering/ordering_graph.h"
#include "profile/computed.h"
#include "profile/raw_profile.h"
#include "profile/recording/perf_text.h"

namespace gprofhub::analyzer {

// Functions that a compiler made of one: clones have names of their own, and not
// every build of a program has the same.

// `names`, each with what else it may be called right behind it: a clone with its
// function's name, and each function with those of its clones that are among
// `in_binary`, ascending. What is among `names` stays where it is. A
// cold part ("f.cold") is no clone: it does not run when f does.
std::vector<std::string> WithClones(absl::Span<const std::string> names,
                                    absl::Span<const std::string> in_binary);

struct MappedFunction {
  std::string file;
  std::string function;     // linkage name
  bool is_defined = false;  // there, rather than only used
};

// Reads what `nm --print-file-name` prints: lines of an object file, a colon, an
// address, a letter and a name ("c-parse.o:00000000 T yyparse"). The file is
// what precedes the first colon, the name what follows the last blank; a letter
// U says that the function is not defined there. Empty lines are passed over.
// `path` is for messages. InvalidArgument: a line is of another form, or there
// is none.
absl::StatusOr<std::vector<MappedFunction>> ParseFileMap(absl::string_view text,
                                                         absl::string_view path);

// `functions` and labels as if they were object files: named after the file that
// `map` has for them, and neighbours in one file made one. Functions that the map
// does not have stay as they are. Of several files that define one function the
// first counts.
std::vector<profile::FunctionSymbol> MergeIntoFiles(const std::vector<MappedFunction>& map,
                                                    std::vector<profile::FunctionSymbol> functions);

// Every file of the map once: in the order in which `rows`, names of files and
// functions, has them, then those that it has not. Linear.
std::vector<std::string> OrderFiles(const std::vector<MappedFunction>& map,
                                    const std::vector<absl::string_view>& rows);

// A program that is known by its functions' names alone.

// The functions of `stacks` whose names seem to be linkage names: they have no parameter
// list, and a linker can place them. Their addresses mean nothing.
profile::SymbolTable ProgramOfNames(const profile::SampledStacks& stacks);

// Whether a linked binary has its functions where an ordering wants them.

struct Placement {
  size_t asked = 0;    // names in the ordering that a linker can place
  size_t present = 0;  // of these, in the binary
  size_t placed = 0;   // of these, standing as ordered
  // Present but not placed, in the ordering's order.
  std::vector<std::string> missed;
  // Functions that the ordering does not name, between the first and the last
  // function that is placed; cold parts of functions (.cold) included.
  size_t strangers = 0;
  uint64_t span = 0;  // bytes from the first placed function to the end of the last
};

// The placed functions are the most that stand in the ordering's order, however
// many others stand elsewhere. All symbols of one name belong in one place; where
// several names have one address, the first that the ordering names counts.
Placement CheckPlacement(const profile::SymbolTable& binary, absl::Span<const std::string> names);

// Orderings for linkers that know sections rather than symbols: gold and GNU ld.

// The names of the sections in which -ffunction-sections may have put a function:
// below .text, .text.hot, .text.startup, .text.exit and .text.unlikely; a
// constructor's or destructor's complete and base form may be one function under
// either's name. The section of a cold part (NAME.cold) is .text.unlikely.NAME, as is
// that of a function which is cold altogether: it is left out where `split` has NAME.
std::vector<std::string> SectionsOf(absl::string_view name,
                                    const absl::flat_hash_set<std::string>& split);

// For `gold --section-ordering-file`: the sections of each of the functions, one a
// line, each once. `split` are functions known to have a cold part of their own, beside
// those whose cold parts are among the names.
std::string FormatGoldSections(absl::Span<const std::string> names,
                               const absl::flat_hash_set<std::string>& split = {});

// For `ld.bfd -T` (beside the default script): an output section .text.ordered
// with these sections in this order, in front of .text.
std::string FormatLinkerScript(absl::Span<const std::string> names,
                               const absl::flat_hash_set<std::string>& split = {});

// Orderings as the texts that lld reads, and back.

// False for _init and _fini, which no linker moves, and for names that no compiler
// makes and that mean something else in a linker's file: with line breaks, quotes,
// blanks or wildcards, or beginning with '#' or '['.
bool CanBePlaced(absl::string_view name);

// The linkage names of the functions of `order`, each once (a linker places all
// symbols of one name where it stands first), and behind a compiler's clone the
// function it is of: other builds may have no such clone. Left out: what cannot be
// placed.
std::vector<std::string> NamesInOrder(const OrderingGraph& graph, absl::Span<const uint32_t> order);

// How a symbol file of ours begins.
inline constexpr absl::string_view kSymbolFileHeader = "# gprofhub function ordering";

// For `lld --symbol-ordering-file`: a comment header, then one name a line.
std::string FormatSymbolFile(absl::Span<const std::string> names);

// For `lld --call-graph-ordering-file`: "caller callee count" for each pair of
// functions, its call sites added up, ascending by the caller's and the callee's
// place in the graph.
std::string FormatCallGraphFile(const OrderingGraph& graph);

// The names of a symbol file in its order; comments and empty lines are skipped.
std::vector<std::string> ParseSymbolFile(absl::string_view text);

// Code that runs in tests only, and so belongs into no release's ordering.

struct ExcludeOptions {
  // Test frameworks (GoogleTest, Catch, doctest, Boost.Test) and the functions of
  // source files named *_test.*, *_tests.* or *_unittest.*.
  bool tests = true;
  // Patterns (base/glob.h); what a function's linkage name, its name without parameters or
  // its source file matches is left out.
  std::vector<std::string> patterns;
};

// By row of profile.functions.
std::vector<bool> ExcludedFunctions(const profile::ComputedProfile& profile,
                                    const ExcludeOptions& options);

// Whether a pattern matches a name alone.
bool MatchesPattern(absl::string_view linkage_name, absl::Span<const std::string> patterns);

}  // namespace gprofhub::analyzer
