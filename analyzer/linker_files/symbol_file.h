// Reads and writes orderings in lld's text formats.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "analyzer/ordering/ordering_graph.h"

namespace gprofhub::analyzer {

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

}  // namespace gprofhub::analyzer
