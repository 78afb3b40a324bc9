#include "analyzer/ordering/ordering_text.h"

#include "analyzer/ordering/function_order.h"
#include "analyzer/ordering/linker_files.h"

namespace gprofhub::analyzer {

std::string OrderingTextOf(const OrderingGraph& graph, OrderingForm form) {
  if (form == OrderingForm::kCallGraph) return FormatCallGraphFile(graph);
  return FormatSymbolFile(NamesInOrder(graph, OrderByCoverage(graph)));
}

}  // namespace gprofhub::analyzer
