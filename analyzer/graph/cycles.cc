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
#include "analyzer/graph/cycles.h"

#include <algorithm>
#include <utility>

namespace gprofhub::analyzer {
namespace {

class ComponentSearch {
 public:
  // What the search reads of an arc is copied to where the next is: a search goes
  // through memory as it goes through the graph, and a function's arcs are not next to
  // those that it calls.
  explicit ComponentSearch(const CallGraph& graph) : functions_(graph.function_count()) {
    callees_.reserve(graph.arcs.size());
    for (uint32_t function = 0; function < functions_.size(); ++function) {
      functions_[function].first_callee = static_cast<uint32_t>(callees_.size());
      for (const uint32_t arc : graph.ArcsFrom(function))
        callees_.push_back(graph.arcs[arc].callee);
      functions_[function].end_of_callees = static_cast<uint32_t>(callees_.size());
    }
  }

  Components Run() {
    for (uint32_t function = 0; function < functions_.size(); ++function) {
      if (functions_[function].visited == 0) Walk(function);
    }
    return std::move(found_);
  }

 private:
  static constexpr uint32_t kClosed = UINT32_MAX;

  struct Function {
    uint32_t visited = 0;  // when first seen, from 1; 0: not yet
    uint32_t low = 0;      // earliest open function reachable; kClosed: its component is known
    uint32_t first_callee = 0;
    uint32_t end_of_callees = 0;
  };

  struct Frame {
    uint32_t function;
    uint32_t next_callee;
    uint32_t end_of_callees;
  };

  void Enter(uint32_t function) {
    Function& entered = functions_[function];
    entered.visited = entered.low = ++clock_;
    open_.push_back(function);
    frames_.push_back({function, entered.first_callee, entered.end_of_callees});
  }

  void Walk(uint32_t root) {
    Enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      const uint32_t function = frame.function;
      if (frame.next_callee < frame.end_of_callees) {
        const uint32_t callee = callees_[frame.next_callee++];
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

  Components found_;
  uint32_t clock_ = 0;
  std::vector<Function> functions_;
  std::vector<uint32_t> callees_;  // of the functions one after another
  std::vector<uint32_t> open_;     // seen, component not closed
  std::vector<Frame> frames_;
};

}  // namespace

Components FindComponents(const CallGraph& graph) { return ComponentSearch(graph).Run(); }

}  // namespace gprofhub::analyzer
