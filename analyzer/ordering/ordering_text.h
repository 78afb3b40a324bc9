// Orderings of computed profiles as text, for the server and for local files.
#pragma once

#include <string>

#include "analyzer/ordering/ordering_graph.h"

namespace gprofhub::analyzer {

enum class OrderingForm {
  kSymbols,    // for `lld --symbol-ordering-file`: the functions in link order
  kCallGraph,  // for `lld --call-graph-ordering-file`: the calls, which the linker sorts by
};

std::string OrderingTextOf(const OrderingGraph& graph, OrderingForm form);

}  // namespace gprofhub::analyzer
