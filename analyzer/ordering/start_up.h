// Orders for the start of a program, from the order of first calls of its processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/ordering/ordering_graph.h"

namespace gprofhub::analyzer {

// A function's linkage name, and its file if it is static: as in an OrderingGraph.
using FunctionKey = std::pair<std::string, std::string>;

// The first calls of processes, as rows of a graph of the same runs.
class FirstCalls {
 public:
  struct Order {
    std::vector<uint32_t> functions;  // rows of the graph, each once
    double weight = 0;
  };

  // `graph` must outlive this.
  explicit FirstCalls(const OrderingGraph& graph);

  // Adds a training run of `weight` > 0: for each of its processes the functions in the order of
  // their first calls. Functions that are not in the graph are omitted. The processes share the
  // weight; equal orders are one.
  void AddRun(const std::vector<std::vector<FunctionKey>>& processes, double weight = 1);

  const std::vector<Order>& orders() const { return orders_; }
  // By row: whether an order has it.
  const std::vector<bool>& is_called() const { return is_called_; }
  size_t CountCalled() const;

 private:
  absl::flat_hash_map<FunctionKey, uint32_t> rows_;
  std::vector<Order> orders_;
  std::vector<bool> is_called_;
};

// All functions of the graph: first those that all processes call, by the time of the call.
// Functions without a first call come last, as OrderByCoverage has them. The same input has the
// same order.
std::vector<uint32_t> OrderByFirstCalls(const OrderingGraph& graph, const FirstCalls& calls);

// The first calls as LLVM's temporal profile traces, in the text format of `llvm-profdata merge`:
// one trace for each order. LLVM has no use for their weights.
std::string FormatTemporalTraces(const OrderingGraph& graph, const FirstCalls& calls);

}  // namespace gprofhub::analyzer
