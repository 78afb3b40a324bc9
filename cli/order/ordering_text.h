// Orderings of computed profiles as text, for the server and for local files.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "analyzer/ordering/ordering_graph.h"

namespace gprofhub::cli {

// Stands for no algorithm: the calls themselves, for a linker that sorts.
inline constexpr absl::string_view kCallGraphAlgorithm = "call-graph";

// By "default", "cdsort", "c3" or "gprof" (as GNU gprof's --function-ordering): a
// symbol file for `lld --symbol-ordering-file`; by "call-graph" a file for
// `lld --call-graph-ordering-file`. InvalidArgument: no such algorithm.
absl::StatusOr<std::string> OrderingTextOf(const analyzer::OrderingGraph& graph,
                                           absl::string_view algorithm);

}  // namespace gprofhub::cli
