// Tarjan's algorithm ("Depth-first search and linear graph algorithms", 1972). One depth-first walk
// closes each component after all components reachable from it, so the components come out in
// topological order. The walk uses an explicit stack, because a chain of calls can be deeper than
// the thread's stack allows recursion to be.
#include "base/components.h"

#include <algorithm>

namespace gprofhub::base {

namespace {

class Search {
 public:
  // The arcs are copied, grouped by source node: the search reads the arcs of one node
  // sequentially, but visits the nodes in random order.
  Search(
      uint32_t nodes, size_t arcs,
      absl::FunctionRef<void(uint32_t node, std::vector<uint32_t>& successors)> append_successors)
      : nodes_(nodes) {
    successors_.reserve(arcs);
    for (uint32_t node = 0; node < nodes; ++node) {
      nodes_[node].first_successor = static_cast<uint32_t>(successors_.size());
      append_successors(node, successors_);
      nodes_[node].end_of_successors = static_cast<uint32_t>(successors_.size());
    }
    found_.nodes.reserve(nodes);
  }

  Components Run() {
    for (uint32_t node = 0; node < nodes_.size(); ++node) {
      if (nodes_[node].met == 0) WalkFrom(node);
    }
    return std::move(found_);
  }

 private:
  static constexpr uint32_t kClosed = UINT32_MAX;

  struct Node {
    uint32_t met = 0;  // visit order, from 1; 0: not visited yet
    // Visit order of the earliest open node that is reachable from here (the low-link). kClosed:
    // the node's component is complete.
    uint32_t earliest = 0;
    uint32_t first_successor = 0;
    uint32_t end_of_successors = 0;
  };

  struct Step {
    uint32_t node;
    uint32_t next_successor;
    uint32_t end_of_successors;
  };

  void Enter(uint32_t node) {
    Node& entered = nodes_[node];
    entered.met = entered.earliest = ++clock_;
    open_.push_back(node);
    path_.push_back({node, entered.first_successor, entered.end_of_successors});
  }

  void WalkFrom(uint32_t root) {
    Enter(root);
    while (!path_.empty()) {
      Step& step = path_.back();
      const uint32_t node = step.node;
      if (step.next_successor < step.end_of_successors) {
        Follow(node, successors_[step.next_successor++]);
        continue;
      }
      path_.pop_back();
      const Node& done = nodes_[node];
      if (!path_.empty()) {
        uint32_t& earliest = nodes_[path_.back().node].earliest;
        earliest = std::min(earliest, done.earliest);
      }
      if (done.earliest == done.met) Close(node);
    }
  }

  void Follow(uint32_t from, uint32_t to) {
    const Node& met = nodes_[to];
    if (met.met == 0) {
      Enter(to);
    } else if (met.earliest != kClosed) {
      nodes_[from].earliest = std::min(nodes_[from].earliest, met.met);
    }
  }

  // The component of `first` and of all open nodes that were visited after it.
  void Close(uint32_t first) {
    found_.begins.push_back(static_cast<uint32_t>(found_.nodes.size()));
    const auto begin = std::find(open_.rbegin(), open_.rend(), first).base() - 1;
    for (auto member = begin; member != open_.end(); ++member) nodes_[*member].earliest = kClosed;
    found_.nodes.insert(found_.nodes.end(), begin, open_.end());
    open_.erase(begin, open_.end());
  }

  Components found_;
  uint32_t clock_ = 0;
  std::vector<Node> nodes_;
  std::vector<uint32_t> successors_;  // grouped by node
  std::vector<uint32_t> open_;        // visited, component not closed
  std::vector<Step> path_;
};

}  // namespace

std::vector<uint32_t> Components::ByNode() const {
  std::vector<uint32_t> by_node(nodes.size());
  for (uint32_t component = 0; component < count(); ++component) {
    for (const uint32_t node : Members(component)) by_node[node] = component;
  }
  return by_node;
}

Components FindComponents(
    uint32_t nodes, size_t arcs,
    absl::FunctionRef<void(uint32_t node, std::vector<uint32_t>& successors)> append_successors) {
  return Search(nodes, arcs, append_successors).Run();
}

Components FindComponents(uint32_t nodes, const std::vector<std::pair<uint32_t, uint32_t>>& arcs) {
  std::vector<std::vector<uint32_t>> successors(nodes);
  for (const auto& [from, to] : arcs) successors[from].push_back(to);
  return FindComponents(nodes, arcs.size(), [&](uint32_t node, std::vector<uint32_t>& appended) {
    appended.insert(appended.end(), successors[node].begin(), successors[node].end());
  });
}

}  // namespace gprofhub::base
