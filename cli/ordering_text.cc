#include "cli/ordering_text.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/ordering/c3.h"
#include "analyzer/ordering/cache_directed.h"
#include "analyzer/ordering/coverage_order.h"
#include "analyzer/ordering/gprof_order.h"
#include "analyzer/ordering/symbol_file.h"

namespace gprofhub {
namespace {

std::vector<uint32_t> OrderAsGprof(const OrderingGraph& graph) {
  std::vector<bool> called;
  for (const OrderingFunction& function : graph.functions) called.push_back(function.calls != 0);
  std::vector<WeightedArc> arcs;
  for (const OrderingCalls& calls : CallsByPair(graph)) {
    arcs.push_back({calls.caller, calls.callee, calls.count});
  }
  return OrderGprof(called, std::move(arcs));
}

}  // namespace

absl::StatusOr<std::string> OrderingTextOf(const OrderingGraph& graph,
                                           absl::string_view algorithm) {
  if (algorithm == kCallGraphAlgorithm) return FormatCallGraphFile(graph);
  std::vector<uint32_t> order;
  if (algorithm == "default") {
    order = OrderByCoverage(graph);
  } else if (algorithm == "cdsort") {
    order = OrderCacheDirected(graph);
  } else if (algorithm == "c3") {
    order = OrderC3(graph);
  } else if (algorithm == "gprof") {
    order = OrderAsGprof(graph);
  } else {
    return absl::InvalidArgumentError(absl::StrCat(
        "algorithm: must be default, cdsort, c3, gprof or call-graph, not \"", algorithm, "\""));
  }
  return FormatSymbolFile(NamesInOrder(graph, order));
}

}  // namespace gprofhub
