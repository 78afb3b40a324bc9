// Orderings as linkers take them: symbol files, section files and object file orders.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "analyzer/ordering/ordering_graph.h"
#include "base/memory_budget.h"
#include "profile/computed.h"
#include "profile/raw_profile.h"
#include "profile/recording/perf_text.h"

namespace gprofhub::analyzer {

// Compiler clones of functions. Clones have names of their own, and builds of one program may have
// different clones.

// `names`, with each name followed by its alternatives: a clone by its function's name, and a
// function by its clones in `in_binary`, ascending. Elements of `names` keep their places. A cold
// part ("f.cold") is not a clone, because it does not run when f does.
std::vector<std::string> WithClones(absl::Span<const std::string> names,
                                    absl::Span<const std::string> in_binary);

// Maps functions to object files. gprof's --file-ordering needs the map to order object files in
// the way it orders functions.

struct MappedFunction {
  std::string file;
  std::string function;     // linkage name
  bool is_defined = false;  // in this file, rather than only used
};

// Parses the output of `nm --print-file-name`: lines of an object file, a colon, an address, a
// letter and a name ("c-parse.o:00000000 T yyparse"). The file is the text before the first colon,
// the name the text after the last blank. The letter U marks a function that the file does not
// define. Empty lines are skipped. `path` is for messages. InvalidArgument: a malformed line, or no
// line at all.
absl::StatusOr<std::vector<MappedFunction>> ParseFileMap(absl::string_view text,
                                                         absl::string_view path);

// Replaces functions and labels by object files: each gets the name of its file in `map`, and
// neighbours in one file are merged. Functions that are not in the map stay unchanged. If several
// files define a function, the first one counts.
std::vector<profile::FunctionSymbol> MergeIntoFiles(const std::vector<MappedFunction>& map,
                                                    std::vector<profile::FunctionSymbol> functions);

// Every file of the map once: first in the order of `rows` (names of files and functions), then the
// files that are not in `rows`. Linear.
std::vector<std::string> OrderFiles(const std::vector<MappedFunction>& map,
                                    const std::vector<absl::string_view>& rows);

// A program of which only the functions' names are known.

// The functions of `stacks` whose names look like linkage names: they have no parameter list, and a
// linker can place them. Their addresses are meaningless.
profile::SymbolTable ProgramOfNames(const profile::SampledStacks& stacks);

// Checks whether a linked binary has its functions in the places that an ordering requests.

struct Placement {
  size_t asked = 0;    // names in the ordering that a linker can place, without cold parts
  size_t present = 0;  // of these, those in the binary
  size_t placed = 0;   // of these, those in the requested order
  // Present but not placed, in the ordering's order.
  std::vector<std::string> missed;
  // Functions that are not in the ordering, between the first and the last placed function; cold
  // parts of functions (.cold) included.
  size_t strangers = 0;
  uint64_t span = 0;  // bytes from the first placed function to the end of the last
};

// The placed functions are a longest subsequence in the ordering's order. All symbols of one name
// belong in one place. If several names have one address, the first of them in the ordering counts.
// Cold parts (NAME.cold) may be anywhere: they do not run when the function does, and gold and GNU
// ld keep .text.unlikely apart.
Placement CheckPlacement(const profile::SymbolTable& binary, absl::Span<const std::string> names);

// Orderings for linkers that order sections rather than symbols: gold and GNU ld.

// The names of the sections in which -ffunction-sections may have put a function:
// below .text, .text.hot, .text.startup, .text.exit and .text.unlikely; the complete and base forms
// of a constructor or destructor may be one function under either name. The section of a cold part
// (NAME.cold) is .text.unlikely.NAME, which is also the section of an entirely cold function: it is
// omitted if `split` contains NAME.
std::vector<std::string> SectionsOf(absl::string_view name,
                                    const absl::flat_hash_set<std::string>& split);

// For `gold --section-ordering-file`: the sections of each function, one per line, each once.
// `split` are functions known to have a cold part of their own, in addition to those whose cold
// parts are among the names.
std::string FormatGoldSections(absl::Span<const std::string> names,
                               const absl::flat_hash_set<std::string>& split = {});

// For `ld.bfd -T` (in addition to the default script): an output section .text.ordered with these
// sections in this order, in front of .text.
std::string FormatLinkerScript(absl::Span<const std::string> names,
                               const absl::flat_hash_set<std::string>& split = {});

// Reads and writes orderings in lld's text formats.

// False for _init and _fini, which no linker moves, and for names that no compiler emits and that
// have another meaning in a linker's file: with line breaks, quotes, blanks or wildcards, or
// beginning with '#' or '['.
bool CanBePlaced(absl::string_view name);

// The linkage names of the functions of `order`, each once (a linker places all symbols of one name
// at its first occurrence). A compiler's clone is followed by its original function, because other
// builds may lack the clone. Names that cannot be placed are omitted.
std::vector<std::string> NamesInOrder(const OrderingGraph& graph, absl::Span<const uint32_t> order);

// The first line of gprofhub's symbol files.
inline constexpr absl::string_view kSymbolFileHeader = "# gprofhub function ordering";

// For `lld --symbol-ordering-file`: a comment header, then one name per line.
std::string FormatSymbolFile(absl::Span<const std::string> names);

// For `lld --call-graph-ordering-file`: "caller callee count" for each pair of
// functions, summed over call sites, ascending by the caller's and the callee's place in the graph.
std::string FormatCallGraphFile(const OrderingGraph& graph);

// The names of a symbol file in its order; comments and empty lines are skipped.
std::vector<std::string> ParseSymbolFile(absl::string_view text);

// Detects code that only runs in tests, which an ordering for a release must not contain.

struct ExcludeOptions {
  // Test frameworks (GoogleTest, Catch, doctest, Boost.Test) and the functions of
  // source files named *_test.*, *_tests.* or *_unittest.*.
  bool tests = true;
  // Patterns (base/glob.h); functions are omitted if their linkage name, their name without
  // parameters or their source file matches.
  std::vector<std::string> patterns;
};

// Limit of the matching of one call; by default there is none.
struct MatchingLimit {
  base::Decoding decoding;  // of the call
  // Each match costs 1, and 1 more for each 256 steps that a pattern may take with a long name.
  uint64_t left = std::numeric_limits<uint64_t>::max();
};

// By row of profile.functions. CANCELLED if the client has cancelled. INVALID_ARGUMENT if the
// patterns exceed the limit.
absl::StatusOr<std::vector<bool>> ExcludedFunctions(const profile::ComputedProfile& profile,
                                                    const ExcludeOptions& options,
                                                    MatchingLimit& limit);

// Whether a pattern matches a name alone.
bool MatchesPattern(absl::string_view linkage_name, absl::Span<const std::string> patterns);

}  // namespace gprofhub::analyzer
