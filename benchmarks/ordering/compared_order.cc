// Orders the functions of local profiles by an algorithm with which gprofhub is compared.
//
//     compared_order c3|cdsort IMAGE PROFILES... > FILE
//
// IMAGE is the program that wrote the PROFILES (directories, as for `gprofhub order`). Test code is
// kept. FILE is a symbol file for lld.
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "analyzer/ordering/linker_files.h"
#include "benchmarks/ordering/compared_orders.h"
#include "cli/order/command.h"

int main(int argc, char** argv) {
  using namespace gprofhub;
  const std::string name = argc > 3 ? argv[1] : "";
  if (name != "c3" && name != "cdsort") {
    std::cerr << "usage: compared_order c3|cdsort IMAGE PROFILES...\n";
    return 2;
  }
  cli::OrderSource source;
  source.image = argv[2];
  source.sources.assign(argv + 3, argv + argc);
  source.policy.with_tests = true;
  const absl::StatusOr<analyzer::OrderingGraph> graph = cli::ReadLocalGraph(source);
  if (!graph.ok()) {
    std::cerr << "compared_order: " << graph.status().message() << "\n";
    return 1;
  }
  const std::vector<uint32_t> order =
      name == "c3" ? benchmarks::OrderC3(*graph) : benchmarks::OrderCacheDirected(*graph);
  std::cout << analyzer::FormatSymbolFile(analyzer::NamesInOrder(*graph, order)) << std::flush;
  return std::cout ? 0 : 1;
}
