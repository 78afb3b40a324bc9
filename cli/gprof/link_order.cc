#include "cli/gprof/link_order.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "analyzer/ordering/gprof_order.h"
#include "base/read_file.h"
#include "base/status_context.h"

namespace gprofhub::cli {
namespace {

std::vector<absl::string_view> OrderedNames(const analyzer::ListingInput& input) {
  const analyzer::CallGraph& graph = input.graph;
  std::vector<bool> called(input.rows.size());
  for (uint32_t row = 0; row < called.size(); ++row) called[row] = graph.nodes[row].calls != 0;
  std::vector<analyzer::WeightedArc> arcs;
  arcs.reserve(graph.arcs.size());
  for (const analyzer::GraphArc& arc : graph.arcs)
    arcs.push_back({arc.caller, arc.callee, arc.count});
  std::vector<absl::string_view> names;
  for (const uint32_t row : analyzer::OrderGprof(called, std::move(arcs))) {
    names.push_back(input.rows.LinkageName(row));
  }
  return names;
}

}  // namespace

absl::StatusOr<std::vector<analyzer::MappedFunction>> ReadFileMap(const GprofOptions& options) {
  std::string text;
  if (!base::ReadFileInto(options.map_file, text).ok()) {
    return absl::NotFoundError(
        absl::StrCat(options.program, ": could not open ", options.map_file, "."));
  }
  absl::StatusOr<std::vector<analyzer::MappedFunction>> map =
      analyzer::ParseFileMap(text, options.map_file);
  if (map.ok()) return map;
  return base::WithContext(map.status(), options.program);
}

profile::SymbolTable WithFilesForFunctions(profile::SymbolTable symbols,
                                           const analyzer::RowOptions& options,
                                           const std::vector<analyzer::MappedFunction>& map) {
  analyzer::RowOptions by_function = options;
  by_function.by_line = false;
  const analyzer::FunctionTable table = analyzer::ListingRows(symbols, by_function).table();
  const uint64_t last = symbols.functions.empty() ? 0 : symbols.functions.back().address;
  std::vector<profile::FunctionSymbol> functions;
  std::vector<profile::FunctionSymbol> weak_labels;
  for (const analyzer::TableFunction& row : table.functions) {
    (row.address <= last ? functions : weak_labels).push_back(*row.symbol);
  }
  symbols.functions = analyzer::MergeIntoFiles(map, std::move(functions));
  symbols.weak_labels = analyzer::MergeIntoFiles(map, std::move(weak_labels));
  return symbols;
}

std::vector<std::string> FunctionOrder(const analyzer::ListingInput& input) {
  const std::vector<absl::string_view> names = OrderedNames(input);
  return {names.begin(), names.end()};
}

std::vector<std::string> FileOrder(const analyzer::ListingInput& input,
                                   const std::vector<analyzer::MappedFunction>& map) {
  return analyzer::OrderFiles(map, OrderedNames(input));
}

}  // namespace gprofhub::cli
