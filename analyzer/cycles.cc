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
#include <utility>

namespace gprofhub {
namespace {

class ComponentSearch {
 public:
  explicit ComponentSearch(const CallGraph& graph)
      : graph_(graph), functions_(graph.function_count()) {}

  Components Run() {
    for (uint32_t function = 0; function < graph_.function_count(); ++function) {
      if (functions_[function].visited == 0) Walk(function);
    }
    return std::move(found_);
  }

 private:
  static constexpr uint32_t kClosed = UINT32_MAX;

  struct Function {
    uint32_t visited = 0;  // when first seen, from 1; 0: not yet
    uint32_t low = 0;      // earliest open function reachable; kClosed: its component is known
  };

  struct Frame {
    uint32_t function;
    uint32_t next_arc;
  };

  void Enter(uint32_t function) {
    functions_[function].visited = functions_[function].low = ++clock_;
    open_.push_back(function);
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
        const Function& seen = functions_[callee];
        if (seen.visited == 0) {
          Enter(callee);
        } else if (seen.low != kClosed) {
          functions_[function].low = std::min(functions_[function].low, seen.visited);
        }
        continue;
      }
      frames_.pop_back();
      const Function& done = functions_[function];
      if (!frames_.empty()) {
        uint32_t& caller_low = functions_[frames_.back().function].low;
        caller_low = std::min(caller_low, done.low);
      }
      if (done.low == done.visited) CloseComponent(function);
    }
  }

  void CloseComponent(uint32_t head) {
    found_.callees_first.push_back(head);
    const auto first = std::find(open_.rbegin(), open_.rend(), head).base() - 1;
    if (open_.end() - first > 1) found_.cycles.emplace_back(first, open_.end());
    for (auto member = first; member != open_.end(); ++member) functions_[*member].low = kClosed;
    open_.erase(first, open_.end());
  }

  const CallGraph& graph_;
  Components found_;
  uint32_t clock_ = 0;
  std::vector<Function> functions_;
  std::vector<uint32_t> open_;  // seen, component not closed
  std::vector<Frame> frames_;
};

}  // namespace

Components FindComponents(const CallGraph& graph) { return ComponentSearch(graph).Run(); }

}  // namespace gprofhub
