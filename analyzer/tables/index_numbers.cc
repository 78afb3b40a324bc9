#include "analyzer/tables/index_numbers.h"

#include <algorithm>

#include "absl/strings/match.h"

namespace gprofhub::analyzer {

std::vector<uint32_t> IndexNumbers(const ListingInput& input) {
  const CallGraph& graph = input.graph;
  // The fields that most comparisons read, close together in memory.
  struct Key {
    double time;
    uint64_t calls;
    uint32_t node;
    bool is_cycle;
    bool is_hidden;  // its name begins with '_'
  };
  std::vector<Key> keys;
  keys.reserve(graph.nodes.size());
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    const bool is_cycle = i >= graph.function_count();
    keys.push_back({node.PropagatedTime(), node.calls, i, is_cycle,
                    !is_cycle && absl::StartsWith(input.rows.LinkageName(i), "_")});
  }
  std::stable_sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    if (a.time != b.time) return a.time > b.time;
    if (a.is_cycle || b.is_cycle) return a.is_cycle && (!b.is_cycle || a.node < b.node);
    if (a.is_hidden != b.is_hidden) return b.is_hidden;
    if (a.calls != b.calls) return a.calls > b.calls;
    return input.NameBefore(a.node, b.node);
  });
  std::vector<uint32_t> index_numbers(keys.size());
  for (uint32_t i = 0; i < keys.size(); ++i) index_numbers[keys[i].node] = i + 1;
  return index_numbers;
}

void AppendIndexNumber(const ListingInput& input, const std::vector<uint32_t>& index_numbers,
                       uint32_t node, TextBuffer& out) {
  if (node >= input.graph.function_count()) {
    out.Append("<cycle ");
    out.Integer(node - input.graph.function_count() + 1);
    out.Append(" as a whole>");
  } else if (input.graph.nodes[node].cycle != 0) {
    out.Append(" <cycle ");
    out.Integer(input.graph.nodes[node].cycle);
    out.Append('>');
  }
  out.Append(input.in_graph[node] ? " [" : " (");
  out.Integer(index_numbers[node]);
  out.Append(input.in_graph[node] ? ']' : ')');
}

}  // namespace gprofhub::analyzer
