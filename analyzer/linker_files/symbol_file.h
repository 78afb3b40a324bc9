// Orderings as the texts that lld reads, and back.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "analyzer/ordering/ordering_graph.h"

namespace gprofhub::analyzer {

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

}  // namespace gprofhub::analyzer
