#include "cli/gprof/link_order.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/ordering/gprof_order.h"
#include "profile/read_file.h"
#include "profile/status_context.h"

namespace gprofhub {
namespace {

std::vector<absl::string_view> OrderedNames(const ListingInput& input) {
  const CallGraph& graph = input.graph;
  std::vector<bool> called(input.rows.size());
  for (uint32_t row = 0; row < called.size(); ++row) called[row] = graph.nodes[row].calls != 0;
  std::vector<WeightedArc> arcs;
  arcs.reserve(graph.arcs.size());
  for (const GraphArc& arc : graph.arcs) arcs.push_back({arc.caller, arc.callee, arc.count});
  std::vector<absl::string_view> names;
  for (const uint32_t row : OrderGprof(called, std::move(arcs))) {
    names.push_back(input.rows.LinkageName(row));
  }
  return names;
}

}  // namespace

absl::StatusOr<std::vector<MappedFunction>> ReadFileMap(const GprofOptions& options) {
  std::string text;
  if (!ReadFileInto(options.map_file, text).ok()) {
    return absl::NotFoundError(
        absl::StrCat(options.program, ": could not open ", options.map_file, "."));
  }
  absl::StatusOr<std::vector<MappedFunction>> map = ParseFileMap(text, options.map_file);
  if (map.ok()) return map;
  return WithContext(map.status(), options.program);
}

SymbolTable WithFilesForFunctions(SymbolTable symbols, const RowOptions& options,
                                  const std::vector<MappedFunction>& map) {
  RowOptions by_function = options;
  by_function.by_line = false;
  const FunctionTable table = ListingRows(symbols, by_function).table();
  const uint64_t last = symbols.functions.empty() ? 0 : symbols.functions.back().address;
  std::vector<FunctionSymbol> functions;
  std::vector<FunctionSymbol> weak_labels;
  for (const TableFunction& row : table.functions) {
    (row.address <= last ? functions : weak_labels).push_back(*row.symbol);
  }
  symbols.functions = MergeIntoFiles(map, std::move(functions));
  symbols.weak_labels = MergeIntoFiles(map, std::move(weak_labels));
  return symbols;
}

std::vector<std::string> FunctionOrder(const ListingInput& input) {
  const std::vector<absl::string_view> names = OrderedNames(input);
  return {names.begin(), names.end()};
}

std::vector<std::string> FileOrder(const ListingInput& input,
                                   const std::vector<MappedFunction>& map) {
  return OrderFiles(map, OrderedNames(input));
}

}  // namespace gprofhub
