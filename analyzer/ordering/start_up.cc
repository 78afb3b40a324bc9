#include "analyzer/ordering/start_up.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "analyzer/ordering/function_order.h"
#include "analyzer/ordering/linker_files.h"
#include "analyzer/ordering/ordering_graph.h"

namespace gprofhub::analyzer {

FirstCalls::FirstCalls(const OrderingGraph& graph) : is_called_(graph.functions.size()) {
  for (size_t i = 0; i < graph.functions.size(); ++i) {
    rows_.emplace(FunctionKey(graph.functions[i].name, graph.functions[i].file),
                  static_cast<uint32_t>(i));
  }
}

void FirstCalls::AddRun(const std::vector<std::vector<FunctionKey>>& processes, double weight) {
  const double share = weight / static_cast<double>(std::max<size_t>(processes.size(), 1));
  std::map<std::vector<uint32_t>, double> orders;  // a test may start a program a thousand times
  for (const std::vector<FunctionKey>& process : processes) {
    std::vector<uint32_t> order;
    absl::flat_hash_set<uint32_t> seen;
    for (const FunctionKey& function : process) {
      const auto row = rows_.find(function);
      if (row != rows_.end() && seen.insert(row->second).second) order.push_back(row->second);
    }
    if (!order.empty()) orders[std::move(order)] += share;
  }
  for (const auto& [order, of_order] : orders) {
    for (const uint32_t function : order) is_called_[function] = true;
    orders_.push_back({order, of_order});
  }
}

size_t FirstCalls::CountCalled() const {
  return static_cast<size_t>(std::count(is_called_.begin(), is_called_.end(), true));
}

// Pages are shared by functions that the same processes need. The functions of all processes come
// first, then those of at least half of them, of several, and of one. Within each of these,
// functions of the same processes are adjacent; processes with few functions come first, because
// other starts rarely need what only a large process did. What remains equal is in the order of
// time: the mean of the logarithm of the place among the first calls.
namespace {

constexpr double kAlmostAll = 0.95;

enum class Tier { kAll, kHalf, kSeveral, kOne };

struct StartFunction {
  uint32_t row = 0;
  Tier tier = Tier::kOne;
  std::vector<bool> processes;  // those that call it; the one with the fewest functions first
  double weight = 0;            // of these
  double time = 0;              // a process that does not call it counts as if it came last
};

bool IsBefore(const StartFunction& a, const StartFunction& b) {
  if (a.tier != b.tier) return a.tier < b.tier;
  if (a.processes != b.processes) return a.processes > b.processes;
  return a.time != b.time ? a.time < b.time : a.row < b.row;
}

Tier TierOf(const StartFunction& function, double weight) {
  if (function.weight >= kAlmostAll * weight) return Tier::kAll;
  if (function.weight >= weight / 2) return Tier::kHalf;
  const auto count = std::count(function.processes.begin(), function.processes.end(), true);
  return count > 1 ? Tier::kSeveral : Tier::kOne;
}

std::vector<const FirstCalls::Order*> FewestFirst(const std::vector<FirstCalls::Order>& orders) {
  std::vector<const FirstCalls::Order*> sorted;
  for (const FirstCalls::Order& order : orders) sorted.push_back(&order);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    return a->functions.size() < b->functions.size();
  });
  return sorted;
}

}  // namespace

std::vector<uint32_t> OrderByFirstCalls(const OrderingGraph& graph, const FirstCalls& calls) {
  const std::vector<const FirstCalls::Order*> processes = FewestFirst(calls.orders());
  const double last = std::log2(static_cast<double>(graph.functions.size()) + 1);
  double weight = 0;
  std::vector<StartFunction> functions(graph.functions.size());
  for (uint32_t row = 0; row < functions.size(); ++row) {
    functions[row].row = row;
    if (calls.is_called()[row]) functions[row].processes.resize(processes.size());
  }
  for (size_t p = 0; p < processes.size(); ++p) {
    weight += processes[p]->weight;
    for (size_t i = 0; i < processes[p]->functions.size(); ++i) {
      StartFunction& function = functions[processes[p]->functions[i]];
      function.processes[p] = true;
      function.weight += processes[p]->weight;
      // Compared with a process that does not call it.
      function.time -= processes[p]->weight * (last - std::log2(static_cast<double>(i) + 1));
    }
  }
  std::erase_if(functions, [](const StartFunction& function) { return function.weight == 0; });
  for (StartFunction& function : functions) function.tier = TierOf(function, weight);
  std::sort(functions.begin(), functions.end(), IsBefore);
  std::vector<uint32_t> order;
  for (const StartFunction& function : functions) order.push_back(function.row);
  for (const uint32_t row : OrderByCoverage(graph)) {
    if (!calls.is_called()[row]) order.push_back(row);
  }
  return order;
}

std::string FormatTemporalTraces(const OrderingGraph& graph, const FirstCalls& calls) {
  std::vector<std::string> names;  // LLVM's, by function; empty: not in a trace
  for (size_t i = 0; i < graph.functions.size(); ++i) {
    const OrderingFunction& function = graph.functions[i];
    std::string& name = names.emplace_back();
    if (!calls.is_called()[i] || !CanBePlaced(function.name)) continue;
    if (!function.file.empty()) {
      name = absl::StrCat(absl::StrReplaceAll(function.file, {{",", "_"}, {";", "_"}, {"\n", "_"}}),
                          ";");
    }
    absl::StrAppend(&name, function.name);
  }
  const size_t traces = calls.orders().size();
  std::string text = absl::StrCat(":ir\n:temporal_prof_traces\n", traces, "\n", traces, "\n");
  for (const FirstCalls::Order& process : calls.orders()) {
    absl::StrAppend(&text, "1\n");  // the trace's weight
    for (const uint32_t function : process.functions) {
      if (!names[function].empty()) absl::StrAppend(&text, names[function], ",");
    }
    absl::StrAppend(&text, "\n");
  }
  // llvm-profdata keeps the names of functions with counts only: a hash, one counter, its value.
  for (const std::string& name : names) {
    if (!name.empty()) absl::StrAppend(&text, "\n", name, "\n0\n1\n1\n");
  }
  return text;
}

}  // namespace gprofhub::analyzer
