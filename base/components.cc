// Tarjan's algorithm ("Depth-first search and linear graph algorithms", 1972), with a
// stack of its own in place of recursion: chains of calls are long.
#include "base/components.h"

#include <algorithm>

namespace gprofhub::base {
namespace {

class Search {
 public:
  Search(uint32_t count, const std::vector<std::pair<uint32_t, uint32_t>>& arcs)
      : first_(count + 1, 0), to_(arcs.size()), order_(count, 0), lowest_(count, 0) {
    for (const auto& [from, to] : arcs) ++first_[from + 1];
    for (uint32_t i = 0; i < count; ++i) first_[i + 1] += first_[i];
    std::vector<size_t> next(first_.begin(), first_.end() - 1);
    for (const auto& [from, to] : arcs) to_[next[from]++] = to;
    circles_.of.assign(count, kOpen);
  }

  Circles Run() {
    for (uint32_t node = 0; node < order_.size(); ++node) {
      if (order_[node] == 0) From(node);
    }
    return std::move(circles_);
  }

 private:
  static constexpr uint32_t kOpen = UINT32_MAX;

  struct Visit {
    uint32_t node;
    size_t next;  // arc
  };

  void Enter(uint32_t node) {
    order_[node] = lowest_[node] = ++entered_;
    open_.push_back(node);
    path_.push_back({node, first_[node]});
  }

  void From(uint32_t root) {
    Enter(root);
    while (!path_.empty()) {
      Visit& visit = path_.back();
      const uint32_t node = visit.node;
      if (visit.next < first_[node + 1]) {
        const uint32_t to = to_[visit.next++];
        if (order_[to] == 0) {
          Enter(to);
        } else if (circles_.of[to] == kOpen) {
          lowest_[node] = std::min(lowest_[node], order_[to]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        uint32_t& lowest = lowest_[path_.back().node];
        lowest = std::min(lowest, lowest_[node]);
      }
      if (lowest_[node] == order_[node]) Close(node);
    }
  }

  void Close(uint32_t node) {
    const auto circle = static_cast<uint32_t>(circles_.members.size());
    std::vector<uint32_t>& members = circles_.members.emplace_back();
    while (true) {
      const uint32_t member = open_.back();
      open_.pop_back();
      circles_.of[member] = circle;
      members.push_back(member);
      if (member == node) return;
    }
  }

  std::vector<size_t> first_;  // by node: its first arc in to_
  std::vector<uint32_t> to_;
  std::vector<uint32_t> order_;   // of entry, from 1
  std::vector<uint32_t> lowest_;  // order that can be reached
  std::vector<uint32_t> open_;
  std::vector<Visit> path_;
  uint32_t entered_ = 0;
  Circles circles_;
};

}  // namespace

Circles FindCircles(uint32_t count, const std::vector<std::pair<uint32_t, uint32_t>>& arcs) {
  return Search(count, arcs).Run();
}

}  // namespace gprofhub::base
