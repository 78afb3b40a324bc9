#include "cli/order/ordering_text.h"

#include "analyzer/linker_files/symbol_file.h"
#include "analyzer/ordering/coverage_order.h"

namespace gprofhub::cli {

std::string OrderingTextOf(const analyzer::OrderingGraph& graph, OrderingForm form) {
  if (form == OrderingForm::kCallGraph) return analyzer::FormatCallGraphFile(graph);
  return analyzer::FormatSymbolFile(
      analyzer::NamesInOrder(graph, analyzer::OrderByCoverage(graph)));
}

}  // namespace gprofhub::cli
