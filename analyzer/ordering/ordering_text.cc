#include "analyzer/ordering/ordering_text.h"

#include "analyzer/ordering/function_order.h"
#include "analyzer/ordering/linker_files.h"

namespace gprofhub::analyzer {

std::string OrderingTextOf(const analyzer::OrderingGraph& graph, OrderingForm form) {
  if (form == OrderingForm::kCallGraph) return analyzer::FormatCallGraphFile(graph);
  return analyzer::FormatSymbolFile(
      analyzer::NamesInOrder(graph, analyzer::OrderByCoverage(graph)));
}

}  // namespace gprofhub::analyzer
