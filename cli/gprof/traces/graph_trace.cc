#include "cli/gprof/traces/graph_trace.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/listing/names.h"
#include "cli/gprof/options/debug_levels.h"
#include "cli/gprof/traces/search_trace.h"

namespace gprofhub::cli {
namespace {

// By row: its place in the order of the search, from 1; members of a cycle share one.
std::vector<int> SearchOrder(const analyzer::CallGraph& graph) {
  std::vector<int> order(graph.function_count());
  int number = 0;
  for (const uint32_t node : graph.callees_first) {
    ++number;
    if (node < graph.function_count()) {
      order[node] = number;
    } else {
      for (const uint32_t member : graph.cycles[node - graph.function_count()]) {
        order[member] = number;
      }
    }
  }
  return order;
}

// The functions of a node of callees_first, ascending by address.
std::vector<uint32_t> Functions(const analyzer::CallGraph& graph, uint32_t node) {
  if (node < graph.function_count()) return {node};
  std::vector<uint32_t> members = graph.cycles[node - graph.function_count()];
  std::sort(members.begin(), members.end());
  return members;
}

class TimeTrace {
 public:
  TimeTrace(const analyzer::ListingInput& input, const analyzer::PrintedNames& names,
            unsigned levels, const SymspecSearches& searches, std::string& out)
      : input_(input),
        graph_(input.graph),
        names_(names),
        levels_(levels),
        searches_(searches),
        out_(out),
        order_(SearchOrder(input.graph)) {}

  void AddOrder() {
    absl::StrAppend(&out_, "[cg_assemble] topological sort listing\n");
    for (const uint32_t node : graph_.callees_first) {
      for (const uint32_t row : Functions(graph_, node)) {
        absl::StrAppendFormat(&out_, "[cg_assemble] %d:%s\n", order_[row], Name(row, 0));
      }
    }
  }

  void AddTimes() {
    const std::vector<uint32_t>& nodes = graph_.callees_first;
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) AddInheritance(*node);
    if (!Has(kTraceTimes)) return;
    for (const uint32_t node : nodes) {
      for (const uint32_t row : Functions(graph_, node)) AddShares(row);
    }
  }

 private:
  bool Has(unsigned levels) const { return (levels_ & levels) != 0; }

  template <typename... Values>
  void Append(const absl::FormatSpec<Values...>& format, const Values&... values) {
    if (Has(kTraceTimes)) absl::StrAppendFormat(&out_, format, values...);
  }

  std::string CycleMark(uint32_t cycle) const {
    return cycle == 0 ? "" : absl::StrCat(" <cycle ", cycle, ">");
  }
  std::string Name(uint32_t row, double fraction) const {
    return absl::StrCat(names_[row], NameEnd(order_[row], fraction, levels_),
                        CycleMark(graph_.nodes[row].cycle));
  }
  std::string NameOfNode(uint32_t node) const {
    if (node >= graph_.function_count()) return CycleMark(node - graph_.function_count() + 1);
    return Name(node, graph_.nodes[node].fraction);
  }

  void AddInheritance(uint32_t node) {
    const analyzer::GraphNode& whole = graph_.nodes[node];
    bool is_printed = false;
    double fraction = 0;
    std::vector<uint32_t> rows = Functions(graph_, node);
    for (const uint32_t row : rows) {
      for (const uint32_t index : graph_.ArcsTo(row)) {
        const analyzer::GraphArc& arc = graph_.arcs[index];
        if (graph_.Representative(arc.caller) == node) continue;
        is_printed |= input_.in_graph[arc.caller];
        if (whole.calls == 0) continue;
        fraction += graph_.nodes[arc.caller].fraction *
                    (static_cast<double>(arc.count) / static_cast<double>(whole.calls));
      }
    }
    std::reverse(rows.begin(), rows.end());
    for (const uint32_t row : rows) {
      const analyzer::GraphNode& function = graph_.nodes[row];
      Append("[prop_flags] %sinherits print-flag %d and prop-fract %f\n", Name(row, fraction),
             is_printed, fraction);
      if (Has(kTraceLookups)) {
        const uint64_t address = input_.rows.Address(row);
        absl::StrAppend(&out_, searches_.Trace(analyzer::Choice::kGraph, address, is_printed),
                        searches_.Trace(analyzer::Choice::kTime, address, fraction != 0));
      }
      Append("[prop_flags] %s ends up with printflag %d and prop-fract %f\n",
             Name(row, function.fraction), bool{input_.in_graph[row]}, function.fraction);
      counted_ += function.propagated_self;
      Append("[prop_flags] time %f propself %f print_time %f\n", function.self,
             function.propagated_self, counted_);
    }
  }

  // As Propagate (propagate.cc) hands them to `row`.
  void AddShares(uint32_t row) {
    if (graph_.nodes[row].fraction == 0) return;
    for (const uint32_t index : graph_.ArcsFrom(row)) {
      const analyzer::GraphArc& arc = graph_.arcs[index];
      if (arc.count == 0 || !graph_.SharesTime(arc)) continue;
      const uint32_t callee = graph_.Representative(arc.callee);
      const analyzer::GraphNode& source = graph_.nodes[callee];
      const analyzer::ArcTime share = graph_.ShareOf(arc);
      absl::StrAppendFormat(&out_, "[prop_time] child \t%s with %f %f %d/%d\n", NameOfNode(callee),
                            source.self, source.child, arc.count, source.calls);
      absl::StrAppendFormat(&out_, "[prop_time] parent\t%s\n", NameOfNode(row));
      absl::StrAppendFormat(&out_, "[prop_time] share %f\n", share.self + share.child);
    }
  }

  const analyzer::ListingInput& input_;
  const analyzer::CallGraph& graph_;
  const analyzer::PrintedNames& names_;
  const unsigned levels_;
  const SymspecSearches& searches_;
  std::string& out_;
  const std::vector<int> order_;
  double counted_ = 0;
};

}  // namespace

std::vector<std::string> TracedNameEnds(const analyzer::ListingInput& input, unsigned levels) {
  std::vector<std::string> ends;
  if ((levels & (kTraceSearch | kTraceTimes)) == 0) return ends;
  const std::vector<int> order = SearchOrder(input.graph);
  for (uint32_t row = 0; row < input.rows.size(); ++row) {
    // Without calls GNU gprof searches nothing.
    ends.push_back(input.has_calls ? NameEnd(order[row], input.graph.nodes[row].fraction, levels)
                                   : NameEnd(0, 0, levels));
  }
  return ends;
}

std::string TraceGraph(const analyzer::ListingInput& input, const analyzer::ListingOptions& options,
                       unsigned levels, const SymspecSearches& searches) {
  std::string out;
  if (!input.has_calls) return out;
  if ((levels & (kTraceSearch | kTraceCycles | kTraceTimes | kTraceLookups)) == 0) return out;
  analyzer::ListingOptions of_all = options;
  of_all.show_unused = true;
  const analyzer::PrintedNames names = analyzer::PrintNames(input, of_all);
  const analyzer::CallGraph& graph = input.graph;
  TimeTrace times(input, names, levels, searches, out);
  if ((levels & kTraceSearch) != 0) TraceSearch(graph, names, levels, out);
  if ((levels & kTraceCycles) != 0) {
    const std::vector<int> order = SearchOrder(graph);
    for (size_t cycle = 1; cycle <= graph.cycles.size(); ++cycle) {
      const uint32_t head = graph.cycles[cycle - 1].front();
      absl::StrAppendFormat(&out, "[cycle_link] %s is the head of cycle %d\n",
                            absl::StrCat(names[head], NameEnd(order[head], 0, levels)), cycle);
    }
  }
  if ((levels & kTraceSearch) != 0) times.AddOrder();
  if ((levels & (kTraceTimes | kTraceLookups)) != 0) times.AddTimes();
  return out;
}

}  // namespace gprofhub::cli
