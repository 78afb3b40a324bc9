#include "analyzer/tables/call_graph_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <functional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/tables/expected_error.h"
#include "analyzer/tables/explanations.h"
#include "analyzer/tables/function_line_ends.h"
#include "base/prefetch.h"

namespace gprofhub::analyzer {
namespace {

constexpr absl::string_view kEntryEnd = "-----------------------------------------------\n";

// The samples that are counted, callers before callees and a cycle's members from
// the highest address down: GNU gprof's percentages, where they lie between two
// printed ones, are rounded as this sum says.
double CountedSamples(const CallGraph& graph) {
  constexpr ptrdiff_t kAhead = 16;
  double total = 0;
  const auto end = graph.callees_first.rend();
  for (auto node = graph.callees_first.rbegin(); node != end; ++node) {
    if (end - node > kAhead) base::Prefetch(&graph.nodes[node[kAhead]].propagated_self);
    if (*node < graph.function_count()) {
      total += graph.nodes[*node].propagated_self;
      continue;
    }
    std::vector<uint32_t> members = graph.cycles[*node - graph.function_count()];
    std::sort(members.rbegin(), members.rend());
    for (const uint32_t member : members) total += graph.nodes[member].propagated_self;
  }
  return total;
}

// An arc with what it is sorted by: recursion, then calls inside the cycle, then falling
// shares of time; then counts.
struct RankedArc {
  uint64_t rank;  // of what shares time, the bits of the number, which rise as it does, and 2
  uint64_t count;
  ArcTime time;
  uint32_t arc;

  bool operator<(const RankedArc& other) const {
    return rank != other.rank ? rank < other.rank : count < other.count;
  }
  bool operator>(const RankedArc& other) const { return other < *this; }
};

// Of an entry; memory that serves for all of them.
struct SortedArcs {
  std::vector<RankedArc> callers;
  std::vector<RankedArc> callees;
};

class GraphListing {
 public:
  GraphListing(const ListingInput& input, const ListingOptions& options,
               const std::vector<uint32_t>& places)
      : input_(input),
        graph_(input.graph),
        options_(options),
        places_(places),
        texts_(input, places),
        rate_(std::max(input.rate, 1u)),
        child_width_(options.traditional ? 11 : 7),
        times_width_(1 + 7 + 1 + child_width_ + (options.expected_error ? 2 * kErrorWidth : 0)),
        total_(CountedSamples(input.graph)) {}

  void Print(TextSink sink) {
    sink(Header());
    std::vector<uint32_t> nodes(places_.size());
    for (uint32_t node = 0; node < places_.size(); ++node) nodes[places_[node] - 1] = node;
    nodes.erase(std::remove_if(nodes.begin(), nodes.end(),
                               [this](uint32_t node) { return !IsPrinted(node); }),
                nodes.end());
    constexpr size_t kEntriesPerPiece = 100;
    FormatInOrder(
        nodes.size(), kEntriesPerPiece,
        [&](size_t begin, size_t end, TextBuffer& out) {
          SortedArcs arcs;
          for (size_t i = begin; i < end; ++i) {
            if (i + 9 < end) graph_.FetchNode(nodes[i + 9]);
            if (i + 6 < end) PrefetchLists(nodes[i + 6]);
            if (i + 4 < end) PrefetchArcs(nodes[i + 4]);
            if (i + 2 < end) PrefetchTexts(nodes[i + 2]);
            PrintEntry(nodes[i], arcs, out);
          }
        },
        sink);
    if (options_.explain && !options_.traditional) sink(kGraphExplanation);
  }

 private:
  bool IsCycle(uint32_t node) const { return node >= graph_.function_count(); }

  bool IsPrinted(uint32_t index) const {
    if (!input_.in_graph[index]) return false;
    // Line by line, entries are for functions, neither for pieces of them nor
    // for cycles.
    if (input_.rows.by_line() && (IsCycle(index) || !input_.rows.IsFunction(index))) return false;
    const GraphNode& node = graph_.nodes[index];
    return options_.show_unused || node.calls != 0 || node.self_calls != 0 ||
           node.propagated_self != 0 || node.propagated_child != 0;
  }

  std::string Header() const {
    std::string out;
    if (!options_.traditional) {
      absl::StrAppend(&out, options_.explain ? "\t\t     Call graph (explanation follows)\n\n"
                                             : "\t\t\tCall graph\n\n");
    }
    absl::StrAppendFormat(&out, "\ngranularity: each sample hit covers %d byte(s)",
                          input_.bytes_per_bin);
    if (total_ > 0) {
      absl::StrAppendFormat(&out, " for %.2f%% of %.2f %s\n\n", 100.0 / total_, total_ / rate_,
                            input_.dimension);
    } else {
      absl::StrAppend(&out, " no time propagated\n\n");
    }
    if (!input_.measured_note.empty()) absl::StrAppend(&out, input_.measured_note, "\n\n");
    if (options_.expected_error) {
      if (options_.explain) absl::StrAppend(&out, kErrorExplanation);
      absl::StrAppend(&out, ColumnHeads());
    } else if (options_.traditional) {
      absl::StrAppend(&out, "                                  called/total       parents \n",
                      "index  %time    self descendants  called+self    name    \tindex\n",
                      "                                  called/total       children\n\n");
    } else {
      absl::StrAppend(&out, "index % time    self  children    called     name\n");
    }
    return out;
  }

  // Of the columns with expected errors between them.
  std::string ColumnHeads() const {
    return absl::StrFormat("index %% time%8s%*s %*s%*s    called     name\n", "self", kErrorWidth,
                           "error ", static_cast<int>(child_width_), "children", kErrorWidth,
                           "error ");
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
    if (SharesTime(arc)) {
      AppendTimes(ranked.time.self, ranked.time.child, out);
      out.Append(' ');
      out.Integer(arc.count, 7);
      texts_.AppendCalls(arc.callee, out);
    } else {
      out.Spaces(times_width_ + 1);
      out.Integer(arc.count, 7);
      out.Spaces(13);
    }
    texts_.AppendName(arc.*named, out);
  }

  bool SharesTime(const GraphArc& arc) const {
    return texts_.Whole(arc.caller) != texts_.Whole(arc.callee);
  }

  RankedArc RankOf(uint32_t index) const {
    const GraphArc& arc = graph_.arcs[index];
    if (!SharesTime(arc)) return {arc.caller == arc.callee ? 0u : 1u, arc.count, {}, index};
    const ArcTime time = graph_.TimeOf(index);
    return {std::bit_cast<uint64_t>(std::max(0.0, time.self + time.child)) + 2, arc.count, time,
            index};
  }

  // As GNU gprof sorts: each arc, the latest first, is compared with those that it has
  // to stand behind, and with one more. What it writes of that, as -d asks.
  template <typename Before>
  void TraceSorting(absl::Span<const uint32_t> latest_first, Before before, TextBuffer& out) const {
    std::vector<RankedArc> sorted;
    for (const uint32_t index : latest_first) {
      const RankedArc ranked = RankOf(index);
      auto place = sorted.begin();
      for (; place != sorted.end(); ++place) {
        AppendCompared(ranked, out);
        AppendCompared(*place, out);
        out.Append('\n');
        if (!before(*place, ranked)) break;
      }
      sorted.insert(place, ranked);
    }
  }

  void AppendCompared(const RankedArc& ranked, TextBuffer& out) const {
    const GraphArc& arc = graph_.arcs[ranked.arc];
    out.Append("[cmp_arc] ");
    texts_.AppendName(arc.caller, out);
    out.RemoveLast();  // the end of the line
    out.Append(" calls ");
    texts_.AppendName(arc.callee, out);
    out.RemoveLast();
    out.Append(absl::StrFormat(" %f + %f %d/%d\n", ranked.time.self, ranked.time.child, arc.count,
                               graph_.nodes[arc.callee].calls));
  }

  // Callers rise towards the entry, callees fall away from it; of equals the arc seen
  // first comes first.
  void SortArcs(uint32_t function, SortedArcs& arcs) const {
    arcs.callers.clear();
    arcs.callees.clear();
    if (IsCycle(function)) return;
    for (const uint32_t arc : graph_.ArcsTo(function)) arcs.callers.push_back(RankOf(arc));
    for (const uint32_t arc : graph_.ArcsFrom(function)) arcs.callees.push_back(RankOf(arc));
    std::sort(arcs.callers.begin(), arcs.callers.end(), [](const RankedArc& a, const RankedArc& b) {
      return a < b || (!(b < a) && a.arc < b.arc);
    });
    std::sort(arcs.callees.begin(), arcs.callees.end(), [](const RankedArc& a, const RankedArc& b) {
      return b < a || (!(a < b) && a.arc < b.arc);
    });
  }

  // Calls by nobody that is known, and what of the function's time no caller has.
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

  // An entry's lines are of functions here and there: all is fetched from memory
  // while entries before it are printed. First, of the node, then the lists of its arcs,
  void PrefetchLists(uint32_t node) const {
    base::Prefetch(&places_[node]);
    if (IsCycle(node)) return;
    base::Prefetch(graph_.ArcsTo(node).data());
    base::Prefetch(graph_.ArcsFrom(node).data());
  }

  // then the arcs,
  void PrefetchArcs(uint32_t node) const {
    if (IsCycle(node)) return;
    for (const uint32_t arc : graph_.ArcsTo(node)) base::Prefetch(&graph_.arcs[arc]);
    for (const uint32_t arc : graph_.ArcsFrom(node)) base::Prefetch(&graph_.arcs[arc]);
  }

  // and then, when these are there, their other ends, and what is said of them.
  void PrefetchTexts(uint32_t node) const {
    texts_.Fetch(node);
    if (IsCycle(node)) return;
    const auto fetch = [this](uint32_t end) {
      base::Prefetch(&graph_.nodes[end]);
      texts_.Fetch(end);
    };
    for (const uint32_t arc : graph_.ArcsTo(node)) fetch(graph_.arcs[arc].caller);
    for (const uint32_t arc : graph_.ArcsFrom(node)) fetch(graph_.arcs[arc].callee);
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
      texts_.AppendName(member, out);
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

  // "[n]" in six columns: of what is longer, the end is lost.
  void AppendPlaceInMargin(uint32_t node, TextBuffer& out) const {
    constexpr size_t kWidth = 6;
    std::array<char, 16> place{'['};
    char* end = std::to_chars(place.begin() + 1, place.end() - 1, places_[node]).ptr;
    *end++ = ']';
    const auto size = static_cast<size_t>(end - place.data());
    out.PaddedRight({place.data(), std::min(size, kWidth)}, kWidth);
    out.Append(' ');
  }

  void PrintEntry(uint32_t index, SortedArcs& arcs, TextBuffer& out) const {
    const GraphNode& node = graph_.nodes[index];
    SortArcs(index, arcs);
    if (!IsCycle(index)) {
      if (input_.traces_sorting) TraceSorting(graph_.ArcsTo(index), std::less<>(), out);
      PrintCallers(index, arcs.callers, out);
    }
    AppendPlaceInMargin(index, out);
    out.Fixed(total_ > 0 ? 100 * node.PropagatedTime() / total_ : 0.0, 5, 1);
    AppendTimes(node.propagated_self, node.propagated_child, out);
    if (!IsCycle(index) && node.calls + node.self_calls == 0) {
      out.Spaces(17);
    } else {
      AppendCalls(node, out);
    }
    texts_.AppendName(index, out);
    if (IsCycle(index)) PrintMembers(index, out);
    if (input_.traces_sorting && !IsCycle(index)) {
      TraceSorting(graph_.ArcsFrom(index), std::greater<>(), out);
    }
    for (const RankedArc& arc : arcs.callees) PrintArc(arc, &GraphArc::callee, out);
    if (options_.traditional) out.Append('\n');
    out.Append(kEntryEnd);
    if (options_.traditional) out.Append('\n');
  }

  const ListingInput& input_;
  const CallGraph& graph_;
  const ListingOptions& options_;
  const std::vector<uint32_t>& places_;
  const NodeTexts texts_;
  const double rate_;
  const size_t child_width_;  // of the column of callees' time
  const size_t times_width_;  // of both times, with what is before and after them
  const double total_;        // samples that are counted
};

}  // namespace

void PrintGraphListing(const ListingInput& input, const ListingOptions& options,
                       const std::vector<uint32_t>& places, TextSink sink) {
  GraphListing(input, options, places).Print(sink);
}

}  // namespace gprofhub::analyzer
