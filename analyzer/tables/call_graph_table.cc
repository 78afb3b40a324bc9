#include "analyzer/tables/call_graph_table.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "analyzer/tables/call_graph_header.h"
#include "analyzer/tables/entry_arcs.h"
#include "analyzer/tables/expected_error.h"
#include "analyzer/tables/explanations.h"
#include "analyzer/tables/function_line_ends.h"
#include "base/fetch_ahead.h"
#include "base/prefetch.h"

namespace gprofhub::analyzer {
namespace {

constexpr absl::string_view kEntryEnd = "-----------------------------------------------\n";

class GraphListing {
 public:
  GraphListing(const ListingInput& input, const ListingOptions& options,
               const std::vector<uint32_t>& index_numbers)
      : input_(input),
        graph_(input.graph),
        options_(options),
        index_numbers_(index_numbers),
        line_ends_(input, index_numbers),
        entry_arcs_(input.graph, line_ends_),
        rate_(std::max(input.rate, 1u)),
        child_width_(static_cast<size_t>(ChildrenWidth(options))),
        times_width_(1 + 7 + 1 + child_width_ + (options.expected_error ? 2 * kErrorWidth : 0)),
        total_(CountedSamples(input.graph)) {}

  void Print(TextSink sink) {
    sink(CallGraphHeader(input_, options_, total_));
    std::vector<uint32_t> nodes(index_numbers_.size());
    for (uint32_t node = 0; node < index_numbers_.size(); ++node)
      nodes[index_numbers_[node] - 1] = node;
    nodes.erase(std::remove_if(nodes.begin(), nodes.end(),
                               [this](uint32_t node) { return !IsPrinted(node); }),
                nodes.end());
    constexpr size_t kEntriesPerPiece = 100;
    FormatInOrder(
        nodes.size(), kEntriesPerPiece,
        [&](size_t begin, size_t end, TextBuffer& out) { PrintEntries(nodes, begin, end, out); },
        sink);
    if (options_.explain && !options_.traditional) sink(kGraphExplanation);
  }

 private:
  // Prints the entries of nodes[begin] to nodes[end - 1]. The functions of an entry's lines are
  // scattered in memory, so the data of an entry is prefetched in four steps while earlier entries
  // are printed.
  void PrintEntries(const std::vector<uint32_t>& nodes, size_t begin, size_t end,
                    TextBuffer& out) const {
    SortedArcs arcs;
    base::ForEachFetched(
        begin, end, [&](size_t i) { PrintEntry(nodes[i], arcs, out); },
        base::FetchAhead{9, [&](size_t i) { graph_.FetchNode(nodes[i]); }},
        base::FetchAhead{6, [&](size_t i) { FetchLists(nodes[i]); }},
        base::FetchAhead{4, [&](size_t i) { FetchArcs(nodes[i]); }},
        base::FetchAhead{2, [&](size_t i) { FetchLineEnds(nodes[i]); }});
  }

  // Where the node's arcs are listed.
  void FetchLists(uint32_t node) const {
    base::Prefetch(&index_numbers_[node]);
    if (IsCycle(node)) return;
    base::Prefetch(graph_.ArcsTo(node).data());
    base::Prefetch(graph_.ArcsFrom(node).data());
  }

  // Prefetches the arcs. Their lists must be cached.
  void FetchArcs(uint32_t node) const {
    if (IsCycle(node)) return;
    for (const uint32_t arc : graph_.ArcsTo(node)) base::Prefetch(&graph_.arcs[arc]);
    for (const uint32_t arc : graph_.ArcsFrom(node)) base::Prefetch(&graph_.arcs[arc]);
  }

  // Prefetches the printed data of the node and of the other ends of its arcs. The arcs must be
  // cached.
  void FetchLineEnds(uint32_t node) const {
    line_ends_.Fetch(node);
    if (IsCycle(node)) return;
    const auto fetch = [this](uint32_t end) {
      base::Prefetch(&graph_.nodes[end]);
      line_ends_.Fetch(end);
    };
    for (const uint32_t arc : graph_.ArcsTo(node)) fetch(graph_.arcs[arc].caller);
    for (const uint32_t arc : graph_.ArcsFrom(node)) fetch(graph_.arcs[arc].callee);
  }

  bool IsCycle(uint32_t node) const { return node >= graph_.function_count(); }

  bool IsPrinted(uint32_t index) const {
    if (!input_.in_graph[index]) return false;
    // In line-by-line listings only functions have entries, neither pieces of them nor cycles.
    if (input_.rows.by_line() && (IsCycle(index) || !input_.rows.IsFunction(index))) return false;
    const GraphNode& node = graph_.nodes[index];
    return options_.show_unused || node.calls != 0 || node.self_calls != 0 ||
           node.propagated_self != 0 || node.propagated_child != 0;
  }

  void AppendTimes(double self, double child, TextBuffer& out) const {
    out.Append(' ');
    out.Fixed(self / rate_, 7, 2);
    if (options_.expected_error) AppendExpectedError(self, 1 / rate_, out);
    out.Append(' ');
    out.Fixed(child / rate_, child_width_, 2);
    if (options_.expected_error) AppendExpectedError(child, 1 / rate_, out);
  }

  // The line of one end of an arc in the entry of the other.
  void PrintArc(const RankedArc& ranked, uint32_t GraphArc::*named, TextBuffer& out) const {
    const GraphArc& arc = graph_.arcs[ranked.arc];
    out.Spaces(12);
    if (!entry_arcs_.IsWithinCycle(arc)) {
      AppendTimes(ranked.time.self, ranked.time.child, out);
      out.Append(' ');
      out.Integer(arc.count, 7);
      line_ends_.AppendCalls(arc.callee, out);
    } else {
      out.Spaces(times_width_ + 1);
      out.Integer(arc.count, 7);
      out.Spaces(13);
    }
    line_ends_.AppendName(arc.*named, out);
  }

  // Spontaneous calls, and the part of the function's time that no caller inherits.
  void PrintSpontaneous(uint32_t function, const std::vector<RankedArc>& callers,
                        TextBuffer& out) const {
    const GraphNode& whole = graph_.nodes[graph_.Representative(function)];
    double self = whole.propagated_self;
    double child = whole.propagated_child;
    if (!callers.empty() || &whole != &graph_.nodes[function]) {
      const double share =
          static_cast<double>(graph_.SpontaneousCalls(function)) / static_cast<double>(whole.calls);
      self *= share;
      child *= share;
    }
    out.Spaces(12);
    AppendTimes(self, child, out);
    out.Append(' ');
    out.Integer(graph_.SpontaneousCalls(function), 7);
    out.Append('/');
    out.IntegerRight(whole.calls, 7);
    out.Append("     <spontaneous>\n");
  }

  void PrintCallers(uint32_t function, const std::vector<RankedArc>& arcs, TextBuffer& out) const {
    if (graph_.SpontaneousCalls(function) > 0) {
      PrintSpontaneous(function, arcs, out);
    } else if (arcs.empty()) {
      out.Spaces(33 + times_width_);
      out.Append("<spontaneous>\n");
    }
    for (const RankedArc& arc : arcs) PrintArc(arc, &GraphArc::caller, out);
  }

  void PrintMembers(uint32_t cycle_node, TextBuffer& out) const {
    std::vector<uint32_t> members = graph_.cycles[cycle_node - graph_.function_count()];
    std::stable_sort(members.begin(), members.end(), [this](uint32_t a, uint32_t b) {
      const GraphNode& left = graph_.nodes[a];
      const GraphNode& right = graph_.nodes[b];
      const double left_time = left.PropagatedTime();
      const double right_time = right.PropagatedTime();
      if (left_time != right_time) return left_time > right_time;
      return left.calls + left.self_calls > right.calls + right.self_calls;
    });
    for (const uint32_t member : members) {
      const GraphNode& node = graph_.nodes[member];
      out.Spaces(12);
      AppendTimes(node.propagated_self, node.propagated_child, out);
      AppendCalls(node, out);
      out.Spaces(4);
      line_ends_.AppendName(member, out);
    }
  }

  void AppendCalls(const GraphNode& node, TextBuffer& out) const {
    out.Append(' ');
    out.Integer(node.calls, 7);
    if (node.self_calls == 0) {
      out.Spaces(9);
    } else {
      out.Append('+');
      out.IntegerRight(node.self_calls, 7);
      out.Append(' ');
    }
  }

  // "[n]" in six columns, truncated if longer.
  void AppendIndexInMargin(uint32_t node, TextBuffer& out) const {
    constexpr size_t kWidth = 6;
    std::array<char, 16> place{'['};
    char* end = std::to_chars(place.begin() + 1, place.end() - 1, index_numbers_[node]).ptr;
    *end++ = ']';
    const auto size = static_cast<size_t>(end - place.data());
    out.PaddedRight({place.data(), std::min(size, kWidth)}, kWidth);
    out.Append(' ');
  }

  void PrintEntry(uint32_t index, SortedArcs& arcs, TextBuffer& out) const {
    const GraphNode& node = graph_.nodes[index];
    entry_arcs_.Sort(index, arcs);
    if (!IsCycle(index)) PrintCallers(index, arcs.callers, out);
    AppendIndexInMargin(index, out);
    out.Fixed(total_ > 0 ? 100 * node.PropagatedTime() / total_ : 0.0, 5, 1);
    AppendTimes(node.propagated_self, node.propagated_child, out);
    if (!IsCycle(index) && node.calls + node.self_calls == 0) {
      out.Spaces(17);
    } else {
      AppendCalls(node, out);
    }
    line_ends_.AppendName(index, out);
    if (IsCycle(index)) PrintMembers(index, out);
    for (const RankedArc& arc : arcs.callees) PrintArc(arc, &GraphArc::callee, out);
    if (options_.traditional) out.Append('\n');
    out.Append(kEntryEnd);
    if (options_.traditional) out.Append('\n');
  }

  const ListingInput& input_;
  const CallGraph& graph_;
  const ListingOptions& options_;
  const std::vector<uint32_t>& index_numbers_;
  const FunctionLineEnds line_ends_;
  const EntryArcs entry_arcs_;
  const double rate_;
  const size_t child_width_;  // of the column of callees' time
  const size_t times_width_;  // of both times, with the text around them
  const double total_;        // samples that are counted
};

}  // namespace

void PrintGraphListing(const ListingInput& input, const ListingOptions& options,
                       const std::vector<uint32_t>& index_numbers, TextSink sink) {
  GraphListing(input, options, index_numbers).Print(sink);
}

}  // namespace gprofhub::analyzer
