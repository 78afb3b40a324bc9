#include "analyzer/listing/call_graph_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/graph/call_graph.h"
#include "analyzer/listing/explanations.h"
#include "analyzer/listing/rows.h"
#include "base/parallel.h"

namespace gprofhub::analyzer {

namespace {

// The header above the call graph's entries.

// The width of the column of callees' time.
inline int ChildrenWidth(const ListingOptions& options) { return options.traditional ? 11 : 7; }

// All counted samples, the base of the percentages.
double CountedSamples(const CallGraph& graph);

// `total` is CountedSamples.
std::string CallGraphHeader(const ListingInput& input, const ListingOptions& options, double total);

// Widths of the columns, including those of expected errors.
std::string ColumnHeads(const ListingOptions& options) {
  return absl::StrFormat("index %% time%8s%*s %*s%*s    called     name\n", "self", kErrorWidth,
                         "error ", ChildrenWidth(options), "children", kErrorWidth, "error ");
}

// Sums callers before callees, and a cycle's members by descending address, as GNU gprof does: the
// rounding of the sum can change a percentage.
double CountedSamples(const CallGraph& graph) {
  const auto callers_first = graph.callees_first.rbegin();
  const auto node_at = [&](size_t i) { return callers_first[static_cast<ptrdiff_t>(i)]; };
  double total = 0;
  base::ForEachFetched(
      0, graph.callees_first.size(),
      [&](size_t i) {
        const uint32_t node = node_at(i);
        if (node < graph.function_count()) {
          total += graph.nodes[node].propagated_self;
          return;
        }
        std::vector<uint32_t> members = graph.cycles[node - graph.function_count()];
        std::sort(members.rbegin(), members.rend());
        for (const uint32_t member : members) total += graph.nodes[member].propagated_self;
      },
      base::FetchAhead{
          16, [&](size_t i) { base::Prefetch(&graph.nodes[node_at(i)].propagated_self); }});
  return total;
}

std::string CallGraphHeader(const ListingInput& input, const ListingOptions& options,
                            double total) {
  const double rate = std::max(input.rate, 1u);
  std::string out;
  if (!options.traditional) {
    absl::StrAppend(&out, options.explain ? "\t\t     Call graph (explanation follows)\n\n"
                                          : "\t\t\tCall graph\n\n");
  }
  absl::StrAppendFormat(&out, "\ngranularity: each sample hit covers %d byte(s)",
                        input.bytes_per_bin);
  if (total > 0) {
    absl::StrAppendFormat(&out, " for %.2f%% of %.2f %s\n\n", 100.0 / total, total / rate,
                          input.dimension);
  } else {
    absl::StrAppend(&out, " no time propagated\n\n");
  }
  if (!input.quantity_notes.empty()) absl::StrAppend(&out, input.quantity_notes, "\n");
  if (!input.others_note.empty()) absl::StrAppend(&out, input.others_note, "\n");
  if (!input.measured_note.empty()) absl::StrAppend(&out, input.measured_note, "\n\n");
  if (options.expected_error) {
    if (options.explain) absl::StrAppend(&out, kErrorExplanation);
    absl::StrAppend(&out, ColumnHeads(options));
  } else if (options.traditional) {
    absl::StrAppend(&out, "                                  called/total       parents \n",
                    "index  %time    self descendants  called+self    name    \tindex\n",
                    "                                  called/total       children\n\n");
  } else {
    absl::StrAppend(&out, "index % time    self  children    called     name\n");
  }
  return out;
}

constexpr size_t kCallsWidth = 7;

void RenderCalls(uint64_t calls, TextBuffer& out) {
  out.Append('/');
  out.IntegerRight(calls, kCallsWidth);
  out.Spaces(5);
}

}  // namespace

FunctionLineEnds::FunctionLineEnds(const ListingInput& input,
                                   const std::vector<uint32_t>& index_numbers)
    : graph_(input.graph) {
  line_ends_.resize(graph_.nodes.size());
  TextBuffer rendered;
  for (uint32_t node = 0; node < line_ends_.size(); ++node) {
    const bool is_cycle = node >= graph_.function_count();
    Text& text = line_ends_[node];
    text.whole = is_cycle ? node : graph_.Representative(node);
    rendered.Clear();
    RenderCalls(graph_.nodes[text.whole].calls, rendered);
    if (rendered.size() == sizeof text.calls) {
      std::memcpy(text.calls, rendered.text().data(), sizeof text.calls);
    }
    rendered.Clear();
    if (!is_cycle) rendered.Append(input.names[node]);
    AppendIndexNumber(input, index_numbers, node, rendered);
    rendered.Append('\n');
    text.name_size = static_cast<uint32_t>(rendered.size());
    if (rendered.size() <= sizeof text.name) {
      std::memcpy(text.name, rendered.text().data(), rendered.size());
    } else {
      const size_t offset = long_names_.size();
      std::memcpy(text.name, &offset, sizeof offset);
      long_names_.Append(rendered.text());
    }
  }
}

void FunctionLineEnds::AppendManyCalls(uint32_t node, TextBuffer& out) const {
  RenderCalls(graph_.nodes[Whole(node)].calls, out);
}

absl::string_view FunctionLineEnds::LongName(const Text& text) const {
  size_t offset;
  std::memcpy(&offset, text.name, sizeof offset);
  return long_names_.text().substr(offset, text.name_size);
}

namespace {

// The arcs of an entry of the call graph, in the order in which they are printed.

// An arc with its sort key: self-recursive calls come first, then calls within a cycle, then
// ascending shares of time. Arcs of one rank are sorted by counts.
struct RankedArc {
  // 0, 1, or 2 plus the bits of the share, which as an integer are monotonic in the share.
  uint64_t rank;
  uint64_t count;
  ArcTime time;
  uint32_t arc;

  bool operator<(const RankedArc& other) const {
    return rank != other.rank ? rank < other.rank : count < other.count;
  }
};

// The arcs of an entry. The memory is reused for all entries.
struct SortedArcs {
  std::vector<RankedArc> callers;  // ascending
  std::vector<RankedArc> callees;  // descending
};

class EntryArcs {
 public:
  // Both must outlive this.
  EntryArcs(const CallGraph& graph, const FunctionLineEnds& line_ends)
      : graph_(graph), line_ends_(line_ends) {}

  bool IsWithinCycle(const GraphArc& arc) const {
    return line_ends_.Whole(arc.caller) == line_ends_.Whole(arc.callee);
  }

  // The function's arcs; empty for the node of a cycle. Equal arcs keep the order in which they
  // were added.
  void Sort(uint32_t node, SortedArcs& arcs) const;

 private:
  RankedArc RankOf(uint32_t index) const;

  const CallGraph& graph_;
  const FunctionLineEnds& line_ends_;
};

RankedArc EntryArcs::RankOf(uint32_t index) const {
  const GraphArc& arc = graph_.arcs[index];
  if (IsWithinCycle(arc)) return {arc.caller == arc.callee ? 0u : 1u, arc.count, {}, index};
  const ArcTime time = graph_.TimeOf(index);
  return {std::bit_cast<uint64_t>(std::max(0.0, time.self + time.child)) + 2, arc.count, time,
          index};
}

void EntryArcs::Sort(uint32_t function, SortedArcs& arcs) const {
  arcs.callers.clear();
  arcs.callees.clear();
  if (function >= graph_.function_count()) return;
  for (const uint32_t arc : graph_.ArcsTo(function)) arcs.callers.push_back(RankOf(arc));
  for (const uint32_t arc : graph_.ArcsFrom(function)) arcs.callees.push_back(RankOf(arc));
  std::sort(arcs.callers.begin(), arcs.callers.end(), [](const RankedArc& a, const RankedArc& b) {
    return a < b || (!(b < a) && a.arc < b.arc);
  });
  std::sort(arcs.callees.begin(), arcs.callees.end(), [](const RankedArc& a, const RankedArc& b) {
    return b < a || (!(a < b) && a.arc < b.arc);
  });
}

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
