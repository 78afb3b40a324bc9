#include "cli/order/ordering_text.h"

#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/linker_files/symbol_file.h"
#include "analyzer/ordering/c3.h"
#include "analyzer/ordering/cache_directed.h"
#include "analyzer/ordering/coverage_order.h"
#include "analyzer/ordering/gprof_order.h"

namespace gprofhub::cli {
namespace {

std::vector<uint32_t> OrderAsGprof(const analyzer::OrderingGraph& graph) {
  std::vector<bool> called;
  for (const analyzer::OrderingFunction& function : graph.functions)
    called.push_back(function.calls != 0);
  std::vector<analyzer::WeightedArc> arcs;
  for (const analyzer::OrderingCalls& calls : analyzer::CallsByPair(graph)) {
    arcs.push_back({calls.caller, calls.callee, calls.count});
  }
  return analyzer::OrderGprof(called, std::move(arcs));
}

}  // namespace

absl::StatusOr<std::string> OrderingTextOf(const analyzer::OrderingGraph& graph,
                                           absl::string_view algorithm) {
  if (algorithm == kCallGraphAlgorithm) return analyzer::FormatCallGraphFile(graph);
  std::vector<uint32_t> order;
  if (algorithm == "default") {
    order = analyzer::OrderByCoverage(graph);
  } else if (algorithm == "cdsort") {
    order = analyzer::OrderCacheDirected(graph);
  } else if (algorithm == "c3") {
    order = analyzer::OrderC3(graph);
  } else if (algorithm == "gprof") {
    order = OrderAsGprof(graph);
  } else {
    return absl::InvalidArgumentError(absl::StrCat(
        "algorithm: must be default, cdsort, c3, gprof or call-graph, not \"", algorithm, "\""));
  }
  return analyzer::FormatSymbolFile(analyzer::NamesInOrder(graph, order));
}

}  // namespace gprofhub::cli
