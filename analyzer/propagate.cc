// Propagation (Graham, Kessler, McKusick 1982, section 4).
//
// Let C_e be the calls of callee e, and C_er those of them made by caller r.
// The time of a function is what it spent itself plus what its callees spent
// on its behalf:
//
//   T_r = S_r + sum over r -> e of T_e * C_er / C_e
//
// A call's cost is thus assumed to be the same from every caller, as only
// counts tell callers apart. Calls of a function to itself take no part: they
// neither add to C_e nor hand time to anyone. A cycle takes part as one node:
// its time is its members' own plus what they inherit from callees outside the
// cycle, and its callers share it in proportion to their calls into any
// member; calls inside the cycle are shown but hand on nothing.
//
// Two passes over the graph without cycles:
//  1. callers before callees: the fraction of a node's time that reaches nodes
//     that take part at all (1 unless functions are excluded from timing);
//  2. callees before callers: the times.
//
// An arc shows what its caller passes on: its share of the callee's time, times
// the caller's own fraction. The order of the floating-point operations follows
// from agreement with GNU gprof's listings, in which arcs whose times differ by
// a rounding error stand in that order.
#include "analyzer/propagate.h"

namespace gprofhub {
namespace {

// Calls f(member) for the functions that `node` stands for.
template <typename Function>
void ForEachMember(const CallGraph& graph, uint32_t node, Function f) {
  if (node < graph.function_count()) {
    f(node);
  } else {
    for (const uint32_t member : graph.cycles[node - graph.function_count()]) f(member);
  }
}

// Splits every call among and into the members of cycles.
void CountCycleCalls(CallGraph& graph) {
  for (uint32_t cycle = 1; cycle <= graph.cycles.size(); ++cycle) {
    GraphNode& whole = graph.nodes[graph.CycleNode(cycle)];
    for (const uint32_t member : graph.cycles[cycle - 1]) {
      whole.self += graph.nodes[member].self;
      for (const uint32_t index : graph.ArcsTo(member)) {
        const GraphArc& arc = graph.arcs[index];
        if (arc.caller == arc.callee) continue;
        (graph.nodes[arc.caller].cycle == cycle ? whole.self_calls : whole.calls) += arc.count;
      }
    }
  }
}

// Fraction of the time of `node` that its callers (and, without any, the
// operating system) take over.
void InheritFraction(CallGraph& graph, uint32_t node) {
  GraphNode& whole = graph.nodes[node];
  bool has_callers = false;
  double fraction = 0;
  ForEachMember(graph, node, [&](uint32_t member) {
    for (const uint32_t index : graph.ArcsTo(member)) {
      const GraphArc& arc = graph.arcs[index];
      if (graph.Representative(arc.caller) == node) continue;
      has_callers = true;
      if (whole.calls == 0) continue;
      fraction += graph.nodes[arc.caller].fraction *
                  (static_cast<double>(arc.count) / static_cast<double>(whole.calls));
    }
  });
  if (!has_callers) fraction = 1;
  ForEachMember(graph, node, [&](uint32_t member) {
    GraphNode& function = graph.nodes[member];
    function.fraction = function.takes_part ? fraction : 0;
  });
  whole.fraction = whole.takes_part ? fraction : 0;
}

// Hands the callees' time, complete by now, to the functions of `node`.
void InheritTime(CallGraph& graph, uint32_t node) {
  ForEachMember(graph, node, [&](uint32_t member) {
    for (const uint32_t index : graph.ArcsFrom(member)) {
      GraphArc& arc = graph.arcs[index];
      const uint32_t callee = graph.Representative(arc.callee);
      if (callee == node || arc.count == 0) continue;
      const GraphNode& source = graph.nodes[callee];
      if (source.fraction == 0 || source.calls == 0) continue;
      GraphNode& caller = graph.nodes[member];
      const double share = static_cast<double>(arc.count) / static_cast<double>(source.calls);
      const double self = source.self * share;
      const double child = source.child * share;
      caller.child += self + child;
      arc.self = self * caller.fraction;
      arc.child = child * caller.fraction;
    }
    GraphNode& function = graph.nodes[member];
    function.propagated_self = function.self * function.fraction;
    function.propagated_child = function.child * function.fraction;
    if (member == node) return;
    GraphNode& cycle = graph.nodes[node];
    cycle.child += function.child;
    // GNU gprof ranks a cycle that nothing outside it calls by this alone.
    if (cycle.calls != 0) cycle.propagated_self += function.propagated_self;
    cycle.propagated_child += function.propagated_child;
  });
}

}  // namespace

void Propagate(CallGraph& graph) {
  CountCycleCalls(graph);
  for (auto node = graph.callees_first.rbegin(); node != graph.callees_first.rend(); ++node) {
    InheritFraction(graph, *node);
  }
  for (const uint32_t node : graph.callees_first) InheritTime(graph, node);
}

}  // namespace gprofhub
