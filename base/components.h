// The strongly connected components of a directed graph: nodes that reach each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace gprofhub::base {

struct Components {
  // Nodes grouped by component. Every arc between two components leads from a later one to an
  // earlier one. Within a component the nodes are in the order in which the search visited them.
  std::vector<uint32_t> nodes;
  // Index in `nodes` of the first node of each component. The size is the number of components.
  std::vector<uint32_t> begins;

  size_t count() const { return begins.size(); }
  absl::Span<const uint32_t> Members(size_t component) const {
    const size_t end = component + 1 < begins.size() ? begins[component + 1] : nodes.size();
    return absl::MakeConstSpan(nodes).subspan(begins[component], end - begins[component]);
  }
  // By node: its component.
  std::vector<uint32_t> ByNode() const;
};

// Components of the nodes 0 to nodes - 1. `append_successors` is called once for each node, in
// ascending order, and appends the targets of the node's arcs. `arcs` is the total number of arcs,
// for one allocation. The search begins at the lowest node and follows a node's arcs in the order
// given. Time and memory are linear in nodes and arcs; both are below 2^32 - 1.
Components FindComponents(
    uint32_t nodes, size_t arcs,
    absl::FunctionRef<void(uint32_t node, std::vector<uint32_t>& successors)> append_successors);

// As above, from (from, to) arcs in any order.
Components FindComponents(uint32_t nodes, const std::vector<std::pair<uint32_t, uint32_t>>& arcs);

}  // namespace gprofhub::base
