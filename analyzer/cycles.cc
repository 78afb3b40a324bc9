// Time can only be handed up a graph without cycles, so functions that reach
// each other are taken as one (Graham, Kessler, McKusick 1982, section 4.2).
// Tarjan's algorithm finds the strongly connected components in one depth-first
// walk and finishes each after everything it calls, which is the topological
// order that propagation needs. The walk keeps its own stack: recursion as deep
// as the profiled program's call graph would overflow ours.
//
// The walk starts at the lowest address and takes a function's latest arc
// first; cycles are numbered by the address at which the walk entered them.
// GNU gprof's listings number them so.
#include "analyzer/cycles.h"

#include <algorithm>

namespace gprofhub {
namespace {

class ComponentSearch {
 public:
  explicit ComponentSearch(CallGraph& graph)
      : graph_(graph),
        visited_(graph.function_count(), 0),
        low_(graph.function_count(), 0),
        is_open_(graph.function_count(), false) {}

  void Run() {
    for (uint32_t function = 0; function < graph_.function_count(); ++function) {
      if (visited_[function] == 0) Walk(function);
    }
    NumberCycles();
  }

 private:
  struct Frame {
    uint32_t function;
    uint32_t next_arc;
  };

  void Enter(uint32_t function) {
    visited_[function] = low_[function] = ++clock_;
    open_.push_back(function);
    is_open_[function] = true;
    frames_.push_back({function, 0});
  }

  void Walk(uint32_t root) {
    Enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const uint32_t function = frame.function;
      const auto arcs = graph_.ArcsFrom(function);
      if (frame.next_arc < arcs.size()) {
        const uint32_t callee = graph_.arcs[arcs[frame.next_arc++]].callee;
        if (visited_[callee] == 0) {
          Enter(callee);
        } else if (is_open_[callee]) {
          low_[function] = std::min(low_[function], visited_[callee]);
        }
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty()) {
        uint32_t& caller_low = low_[frames_.back().function];
        caller_low = std::min(caller_low, low_[function]);
      }
      if (low_[function] == visited_[function]) CloseComponent(function);
    }
  }

  void CloseComponent(uint32_t head) {
    // Cycles get their node once all are known; until then the head stands.
    graph_.callees_first.push_back(head);
    const auto first = std::find(open_.rbegin(), open_.rend(), head).base() - 1;
    if (open_.end() - first > 1) graph_.cycles.emplace_back(first, open_.end());
    for (auto member = first; member != open_.end(); ++member) is_open_[*member] = false;
    open_.erase(first, open_.end());
  }

  void NumberCycles() {
    std::sort(graph_.cycles.begin(), graph_.cycles.end(),
              [](const auto& a, const auto& b) { return a.front() < b.front(); });
    for (uint32_t cycle = 1; cycle <= graph_.cycles.size(); ++cycle) {
      for (const uint32_t member : graph_.cycles[cycle - 1]) graph_.nodes[member].cycle = cycle;
    }
    graph_.nodes.resize(graph_.function_count() + graph_.cycles.size());
    for (uint32_t& node : graph_.callees_first) node = graph_.Representative(node);
  }

  CallGraph& graph_;
  uint32_t clock_ = 0;
  std::vector<uint32_t> visited_;  // when first seen, from 1; 0: not yet
  std::vector<uint32_t> low_;      // earliest open function reachable
  std::vector<uint32_t> open_;     // seen, component not closed
  std::vector<bool> is_open_;
  std::vector<Frame> frames_;
};

}  // namespace

void FindCycles(CallGraph& graph) { ComponentSearch(graph).Run(); }

}  // namespace gprofhub
