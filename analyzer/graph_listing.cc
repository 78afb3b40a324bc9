#include "analyzer/graph_listing.h"

#include <algorithm>
#include <functional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/expected_error.h"
#include "analyzer/listing_text.h"

namespace gprofhub {
namespace {

constexpr absl::string_view kEntryEnd = "-----------------------------------------------\n";

double PropagatedTime(const GraphNode& node) {
  return node.propagated_self + node.propagated_child;
}

// The samples that are counted, callers before callees and a cycle's members from
// the highest address down: GNU gprof's percentages, where they lie between two
// printed ones, are rounded as this sum says.
double CountedSamples(const CallGraph& graph) {
  constexpr ptrdiff_t kAhead = 16;
  double total = 0;
  const auto end = graph.callees_first.rend();
  for (auto node = graph.callees_first.rbegin(); node != end; ++node) {
    if (end - node > kAhead) __builtin_prefetch(&graph.nodes[node[kAhead]].propagated_self);
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

class GraphListing {
 public:
  GraphListing(const ListingInput& input, const ListingOptions& options,
               const std::vector<std::string>& names, const std::vector<uint32_t>& places)
      : input_(input),
        graph_(input.graph),
        options_(options),
        names_(names),
        places_(places),
        rate_(std::max(input.rate, 1u)),
        child_width_(options.traditional ? 11 : 7),
        times_width_(1 + 7 + 1 + child_width_ + (options.expected_error ? 2 * kErrorWidth : 0)) {
    total_ = CountedSamples(graph_);
    lines_.reserve(graph_.nodes.size());
    for (uint32_t node = 0; node < graph_.nodes.size(); ++node) {
      const size_t label = labels_.size();
      if (!IsCycle(node)) labels_.Append(names_[node]);
      AppendPlace(input_, places_, node, labels_);
      const uint32_t whole = IsCycle(node) ? node : graph_.Representative(node);
      lines_.push_back(
          {label, graph_.nodes[whole].calls, whole, static_cast<uint32_t>(labels_.size() - label)});
    }
  }

  void Print(TextSink sink) {
    sink(Header());
    std::vector<uint32_t> nodes(places_.size());
    for (uint32_t node = 0; node < places_.size(); ++node) nodes[places_[node] - 1] = node;
    nodes.erase(std::remove_if(nodes.begin(), nodes.end(),
                               [this](uint32_t node) { return !IsPrinted(node); }),
                nodes.end());
    constexpr size_t kEntriesPerPiece = 50;
    FormatInOrder(
        nodes.size(), kEntriesPerPiece,
        [&](size_t begin, size_t end, TextBuffer& out) {
          for (size_t i = begin; i < end; ++i) {
            if (i + 7 < end) PrefetchEntry(nodes[i + 7]);
            if (i + 5 < end) PrefetchArcs(nodes[i + 5]);
            if (i + 3 < end) PrefetchLines(nodes[i + 3]);
            if (i + 1 < end) PrefetchLabels(nodes[i + 1]);
            PrintEntry(nodes[i], out);
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

  // "name <cycle n> [place]".
  void AppendName(uint32_t node, TextBuffer& out) const {
    out.Append(labels_.text().substr(lines_[node].label, lines_[node].label_size));
  }

  void AppendTimes(double self, double child, TextBuffer& out) const {
    out.Append(' ');
    out.Fixed(self / rate_, 7, 2);
    if (options_.expected_error) AppendExpectedError(self, 1 / rate_, out);
    out.Append(' ');
    out.Fixed(child / rate_, child_width_, 2);
    if (options_.expected_error) AppendExpectedError(child, 1 / rate_, out);
  }

  // A caller's or callee's line; `total` is what its calls are a part of.
  void PrintArc(const GraphArc& arc, uint32_t named, TextBuffer& out) const {
    out.Spaces(12);
    if (SharesTime(arc)) {
      AppendTimes(arc.self, arc.child, out);
      out.Append(' ');
      out.Integer(arc.count, 7);
      out.Append('/');
      out.IntegerRight(CallsOfCallee(arc), 7);
    } else {
      out.Spaces(times_width_ + 1);
      out.Integer(arc.count, 7);
      out.Spaces(8);
    }
    out.Spaces(5);
    AppendName(named, out);
    out.Append('\n');
  }

  bool SharesTime(const GraphArc& arc) const {
    return lines_[arc.caller].whole != lines_[arc.callee].whole;
  }

  // The calls that the arc's count is a part of.
  uint64_t CallsOfCallee(const GraphArc& arc) const { return lines_[arc.callee].calls; }

  // What an arc is sorted by: recursion, then calls inside the cycle, then
  // falling shares of time; then counts.
  struct ArcRank {
    int kind;
    double time;
    uint64_t count;
    uint32_t arc;

    bool operator>(const ArcRank& other) const { return other < *this; }
    bool operator<(const ArcRank& other) const {
      if (kind != other.kind) return kind < other.kind;
      if (time != other.time) return time < other.time;
      return count < other.count;
    }
  };

  ArcRank RankOf(uint32_t index) const {
    const GraphArc& arc = graph_.arcs[index];
    if (arc.caller == arc.callee) return {0, 0, arc.count, index};
    if (!SharesTime(arc)) return {1, 0, arc.count, index};
    return {2, arc.self + arc.child, arc.count, index};
  }

  // The arcs, which stand latest first, in the order in which they were seen.
  std::vector<ArcRank> RanksOf(absl::Span<const uint32_t> arcs) const {
    std::vector<ArcRank> ranks;
    ranks.reserve(arcs.size());
    for (auto arc = arcs.rbegin(); arc != arcs.rend(); ++arc) ranks.push_back(RankOf(*arc));
    return ranks;
  }

  // As GNU gprof sorts: each arc, the latest first, is compared with those that it has
  // to stand behind, and with one more. What it writes of that, as -d asks.
  template <typename Before>
  void TraceSorting(absl::Span<const uint32_t> latest_first, Before before, TextBuffer& out) const {
    std::vector<ArcRank> sorted;
    for (const uint32_t index : latest_first) {
      const ArcRank rank = RankOf(index);
      auto place = sorted.begin();
      for (; place != sorted.end(); ++place) {
        AppendCompared(rank, out);
        AppendCompared(*place, out);
        out.Append('\n');
        if (!before(*place, rank)) break;
      }
      sorted.insert(place, rank);
    }
  }

  void AppendCompared(const ArcRank& rank, TextBuffer& out) const {
    const GraphArc& arc = graph_.arcs[rank.arc];
    out.Append("[cmp_arc] ");
    AppendName(arc.caller, out);
    out.Append(" calls ");
    AppendName(arc.callee, out);
    out.Append(absl::StrFormat(" %f + %f %d/%d\n", arc.self, arc.child, arc.count,
                               graph_.nodes[arc.callee].calls));
  }

  // Callers rise towards the entry, callees fall away from it; of equals the
  // arc seen first comes first.
  std::vector<ArcRank> SortedCallers(uint32_t function) const {
    std::vector<ArcRank> ranks = RanksOf(graph_.ArcsTo(function));
    std::stable_sort(ranks.begin(), ranks.end());
    return ranks;
  }

  std::vector<ArcRank> SortedCallees(uint32_t function) const {
    std::vector<ArcRank> ranks = RanksOf(graph_.ArcsFrom(function));
    std::stable_sort(ranks.begin(), ranks.end(),
                     [](const ArcRank& a, const ArcRank& b) { return b < a; });
    return ranks;
  }

  // Calls by nobody that is known, and what of the function's time no caller has.
  void PrintSpontaneous(uint32_t function, const std::vector<ArcRank>& callers,
                        TextBuffer& out) const {
    const GraphNode& whole = graph_.nodes[graph_.Representative(function)];
    double self = whole.propagated_self;
    double child = whole.propagated_child;
    if (!callers.empty() || &whole != &graph_.nodes[function]) {
      const double share = static_cast<double>(graph_.nodes[function].spontaneous) /
                           static_cast<double>(whole.calls);
      self *= share;
      child *= share;
    }
    out.Spaces(12);
    AppendTimes(self, child, out);
    out.Append(' ');
    out.Integer(graph_.nodes[function].spontaneous, 7);
    out.Append('/');
    out.IntegerRight(whole.calls, 7);
    out.Append("     <spontaneous>\n");
  }

  // An entry's lines are of functions here and there: all is fetched from memory
  // while entries before it are printed. First where its arcs are,
  void PrefetchEntry(uint32_t node) const {
    __builtin_prefetch(&graph_.nodes[node]);
    __builtin_prefetch(&graph_.nodes[node].cycle);
    __builtin_prefetch(&places_[node]);
    if (IsCycle(node)) return;
    __builtin_prefetch(graph_.ArcsTo(node).data());
    __builtin_prefetch(graph_.ArcsFrom(node).data());
  }

  // then the arcs,
  void PrefetchArcs(uint32_t node) const {
    if (IsCycle(node)) return;
    for (const uint32_t arc : graph_.ArcsTo(node)) __builtin_prefetch(&graph_.arcs[arc]);
    for (const uint32_t arc : graph_.ArcsFrom(node)) __builtin_prefetch(&graph_.arcs[arc]);
  }

  // then, when these are there, what is said of their other ends,
  void PrefetchLines(uint32_t node) const {
    if (IsCycle(node)) return;
    for (const uint32_t arc : graph_.ArcsTo(node)) {
      __builtin_prefetch(&lines_[graph_.arcs[arc].caller]);
    }
    for (const uint32_t arc : graph_.ArcsFrom(node)) {
      __builtin_prefetch(&lines_[graph_.arcs[arc].callee]);
    }
  }

  // and then the names, most of which are shorter than a line of the cache.
  void PrefetchLabels(uint32_t node) const {
    PrefetchLabel(node);
    if (IsCycle(node)) return;
    for (const uint32_t arc : graph_.ArcsTo(node)) PrefetchLabel(graph_.arcs[arc].caller);
    for (const uint32_t arc : graph_.ArcsFrom(node)) PrefetchLabel(graph_.arcs[arc].callee);
  }
  void PrefetchLabel(uint32_t node) const {
    const char* label = labels_.text().data() + lines_[node].label;
    __builtin_prefetch(label);
    __builtin_prefetch(label + lines_[node].label_size);
  }

  void PrintCallers(uint32_t function, const std::vector<ArcRank>& arcs, TextBuffer& out) const {
    if (graph_.nodes[function].spontaneous > 0) {
      PrintSpontaneous(function, arcs, out);
    } else if (arcs.empty()) {
      out.Spaces(33 + times_width_);
      out.Append("<spontaneous>\n");
    }
    for (const ArcRank& rank : arcs) {
      PrintArc(graph_.arcs[rank.arc], graph_.arcs[rank.arc].caller, out);
    }
  }

  void PrintMembers(uint32_t cycle_node, TextBuffer& out) const {
    std::vector<uint32_t> members = graph_.cycles[cycle_node - graph_.function_count()];
    std::stable_sort(members.begin(), members.end(), [this](uint32_t a, uint32_t b) {
      const GraphNode& left = graph_.nodes[a];
      const GraphNode& right = graph_.nodes[b];
      const double left_time = PropagatedTime(left);
      const double right_time = PropagatedTime(right);
      if (left_time != right_time) return left_time > right_time;
      return left.calls + left.self_calls > right.calls + right.self_calls;
    });
    for (const uint32_t member : members) {
      const GraphNode& node = graph_.nodes[member];
      out.Spaces(12);
      AppendTimes(node.propagated_self, node.propagated_child, out);
      AppendCalls(node, out);
      out.Spaces(4);
      AppendName(member, out);
      out.Append('\n');
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

  void PrintEntry(uint32_t index, TextBuffer& out) const {
    const GraphNode& node = graph_.nodes[index];
    std::vector<ArcRank> callers;
    std::vector<ArcRank> callees;
    if (!IsCycle(index)) {
      if (input_.traces_sorting) TraceSorting(graph_.ArcsTo(index), std::less<>(), out);
      callers = SortedCallers(index);
      callees = SortedCallees(index);
      PrintCallers(index, callers, out);
    }
    out.Append(absl::StrFormat("%-6.6s ", absl::StrCat("[", places_[index], "]")));
    out.Fixed(total_ > 0 ? 100 * PropagatedTime(node) / total_ : 0.0, 5, 1);
    AppendTimes(node.propagated_self, node.propagated_child, out);
    if (!IsCycle(index) && node.calls + node.self_calls == 0) {
      out.Spaces(17);
    } else {
      AppendCalls(node, out);
    }
    AppendName(index, out);
    out.Append('\n');
    if (IsCycle(index)) PrintMembers(index, out);
    if (input_.traces_sorting && !IsCycle(index)) {
      TraceSorting(graph_.ArcsFrom(index), std::greater<>(), out);
    }
    for (const ArcRank& rank : callees) {
      PrintArc(graph_.arcs[rank.arc], graph_.arcs[rank.arc].callee, out);
    }
    if (options_.traditional) out.Append('\n');
    out.Append(kEntryEnd);
    if (options_.traditional) out.Append('\n');
  }

  const ListingInput& input_;
  const CallGraph& graph_;
  const ListingOptions& options_;
  const std::vector<std::string>& names_;
  const std::vector<uint32_t>& places_;
  const double rate_;
  const size_t child_width_;  // of the column of callees' time
  const size_t times_width_;  // of both times, with what is before and after them
  double total_ = 0;          // samples that are counted
  // What a line says of a function, close together: most of the time goes into
  // fetching it from memory, a function here and a function there.
  struct Line {
    size_t label;  // where in labels_ its name and place begin
    uint64_t calls;
    uint32_t whole;  // the cycle that the function is a member of, or itself
    uint32_t label_size;
  };
  std::vector<Line> lines_;  // by node
  TextBuffer labels_;        // all nodes' names and places, one after another
};

}  // namespace

std::vector<uint32_t> PlacesInGraph(const ListingInput& input) {
  const CallGraph& graph = input.graph;
  // What most comparisons need stands close together.
  struct Key {
    double time;
    uint64_t calls;
    uint32_t node;
    bool is_cycle;
    bool is_hidden;  // its name begins with '_'
  };
  std::vector<Key> keys;
  keys.reserve(graph.nodes.size());
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const GraphNode& node = graph.nodes[i];
    const bool is_cycle = i >= graph.function_count();
    keys.push_back({PropagatedTime(node), node.calls, i, is_cycle,
                    !is_cycle && absl::StartsWith(input.rows.LinkageName(i), "_")});
  }
  std::stable_sort(keys.begin(), keys.end(), [&](const Key& a, const Key& b) {
    if (a.time != b.time) return a.time > b.time;
    if (a.is_cycle || b.is_cycle) return a.is_cycle && (!b.is_cycle || a.node < b.node);
    if (a.is_hidden != b.is_hidden) return b.is_hidden;
    if (a.calls != b.calls) return a.calls > b.calls;
    return input.rows.LinkageName(a.node) < input.rows.LinkageName(b.node);
  });
  std::vector<uint32_t> places(keys.size());
  for (uint32_t i = 0; i < keys.size(); ++i) places[keys[i].node] = i + 1;
  return places;
}

void PrintGraphListing(const ListingInput& input, const ListingOptions& options,
                       const std::vector<std::string>& names, const std::vector<uint32_t>& places,
                       TextSink sink) {
  GraphListing(input, options, names, places).Print(sink);
}

void AppendPlace(const ListingInput& input, const std::vector<uint32_t>& places, uint32_t node,
                 TextBuffer& out) {
  if (node >= input.graph.function_count()) {
    out.Append("<cycle ");
    out.Integer(node - input.graph.function_count() + 1);
    out.Append(" as a whole>");
  } else if (input.graph.nodes[node].cycle != 0) {
    out.Append(" <cycle ");
    out.Integer(input.graph.nodes[node].cycle);
    out.Append('>');
  }
  out.Append(input.in_graph[node] ? " [" : " (");
  out.Integer(places[node]);
  out.Append(input.in_graph[node] ? ']' : ')');
}

}  // namespace gprofhub
