#include "analyzer/graph_listing.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "analyzer/listing_text.h"

namespace gprofhub {
namespace {

class GraphListing {
 public:
  GraphListing(const ListingInput& input, const ListingOptions& options)
      : input_(input), graph_(input.graph), options_(options), rate_(std::max(input.rate, 1u)) {
    for (size_t i = 0; i < graph_.function_count(); ++i) {
      total_ += graph_.nodes[i].propagated_self;
    }
  }

  std::string Print() {
    SortNodes();
    PrintHeader();
    for (const uint32_t node : order_) {
      if (IsPrinted(node)) PrintEntry(node);
    }
    absl::StrAppend(&out_, options_.explain ? kGraphExplanation : "\f\n");
    PrintNameIndex();
    return std::move(out_);
  }

 private:
  bool IsCycle(uint32_t node) const { return node >= graph_.function_count(); }

  absl::string_view LinkageName(uint32_t node) const {
    return IsCycle(node) ? absl::string_view() : input_.linkage_names[node];
  }

  bool IsPrinted(uint32_t index) const {
    if (!IsCycle(index) && !input_.is_listed[index]) return false;
    const GraphNode& node = graph_.nodes[index];
    if (options_.show_unused || node.calls != 0) return true;
    return !IsCycle(index) && (node.self_calls != 0 || HasTime(index));
  }

  bool HasTime(uint32_t node) const {
    return graph_.nodes[node].propagated_self != 0 || graph_.nodes[node].propagated_child != 0;
  }

  // The node's place in the listing; in parentheses if it has no entry there.
  std::string Number(uint32_t node) const {
    const bool printed = IsCycle(node) ? IsPrinted(node) : input_.is_listed[node];
    return absl::StrCat(printed ? "[" : "(", index_[node], printed ? "]" : ")");
  }

  bool EntryBefore(uint32_t a, uint32_t b) const {
    const GraphNode& left = graph_.nodes[a];
    const GraphNode& right = graph_.nodes[b];
    const double left_time = left.propagated_self + left.propagated_child;
    const double right_time = right.propagated_self + right.propagated_child;
    if (left_time != right_time) return left_time > right_time;
    if (IsCycle(a) || IsCycle(b)) return IsCycle(a) && (!IsCycle(b) || a < b);
    const bool left_hidden = absl::StartsWith(LinkageName(a), "_");
    if (left_hidden != absl::StartsWith(LinkageName(b), "_")) return !left_hidden;
    if (left.calls != right.calls) return left.calls > right.calls;
    return LinkageName(a) < LinkageName(b);
  }

  void SortNodes() {
    order_.resize(graph_.nodes.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::stable_sort(order_.begin(), order_.end(),
                     [this](uint32_t a, uint32_t b) { return EntryBefore(a, b); });
    index_.resize(order_.size());
    for (size_t i = 0; i < order_.size(); ++i) index_[order_[i]] = i + 1;
  }

  void PrintHeader() {
    absl::StrAppend(&out_, options_.explain ? "\t\t     Call graph (explanation follows)\n\n"
                                            : "\t\t\tCall graph\n\n");
    absl::StrAppendFormat(&out_, "\ngranularity: each sample hit covers %d byte(s)",
                          input_.bytes_per_bin);
    if (total_ > 0) {
      absl::StrAppendFormat(&out_, " for %.2f%% of %.2f %s\n\n", 100.0 / total_, total_ / rate_,
                            input_.dimension);
    } else {
      absl::StrAppend(&out_, " no time propagated\n\n");
    }
    absl::StrAppend(&out_, "index % time    self  children    called     name\n");
  }

  // "name <cycle n> [index]".
  void AppendName(uint32_t node) {
    if (IsCycle(node)) {
      absl::StrAppend(&out_, "<cycle ", node - graph_.function_count() + 1, " as a whole>");
    } else {
      absl::StrAppend(&out_, input_.names[node]);
      if (graph_.nodes[node].cycle != 0) {
        absl::StrAppend(&out_, " <cycle ", graph_.nodes[node].cycle, ">");
      }
    }
    absl::StrAppend(&out_, " ", Number(node));
  }

  void AppendSeconds(double samples) { absl::StrAppendFormat(&out_, " %7.2f", samples / rate_); }

  // A caller's or callee's line; `total` is what its calls are a part of.
  void PrintArc(const GraphArc& arc, uint32_t named, bool shares_time, uint64_t total) {
    out_.append(12, ' ');
    if (shares_time) {
      AppendSeconds(arc.self);
      AppendSeconds(arc.child);
      absl::StrAppendFormat(&out_, " %7d/%-7d     ", arc.count, total);
    } else {
      absl::StrAppendFormat(&out_, " %7s %7s %7d %7s     ", "", "", arc.count, "");
    }
    AppendName(named);
    out_ += '\n';
  }

  bool SharesTime(const GraphArc& arc) const {
    return graph_.Representative(arc.caller) != graph_.Representative(arc.callee);
  }

  // The calls that the arc's count is a part of.
  uint64_t CallsOfCallee(const GraphArc& arc) const {
    return graph_.nodes[graph_.Representative(arc.callee)].calls;
  }

  // Recursion, then calls inside the cycle, then falling shares of time.
  bool ArcLess(const GraphArc& a, const GraphArc& b) const {
    const int a_class = a.caller == a.callee ? 0 : SharesTime(a) ? 2 : 1;
    const int b_class = b.caller == b.callee ? 0 : SharesTime(b) ? 2 : 1;
    if (a_class != b_class) return a_class < b_class;
    if (a_class == 2) {
      const double a_time = a.self + a.child;
      const double b_time = b.self + b.child;
      if (a_time != b_time) return a_time < b_time;
    }
    return a.count < b.count;
  }

  // Callers rise towards the entry, callees fall away from it; of equals the
  // arc seen first comes first.
  std::vector<uint32_t> SortedCallers(uint32_t function) const {
    const auto arcs = graph_.ArcsTo(function);
    std::vector<uint32_t> sorted(arcs.rbegin(), arcs.rend());
    std::stable_sort(sorted.begin(), sorted.end(), [this](uint32_t a, uint32_t b) {
      return ArcLess(graph_.arcs[a], graph_.arcs[b]);
    });
    return sorted;
  }

  std::vector<uint32_t> SortedCallees(uint32_t function) const {
    const auto arcs = graph_.ArcsFrom(function);
    std::vector<uint32_t> sorted(arcs.rbegin(), arcs.rend());
    std::stable_sort(sorted.begin(), sorted.end(), [this](uint32_t a, uint32_t b) {
      return ArcLess(graph_.arcs[b], graph_.arcs[a]);
    });
    return sorted;
  }

  void PrintCallers(uint32_t function) {
    const std::vector<uint32_t> arcs = SortedCallers(function);
    if (arcs.empty()) {
      out_.append(49, ' ');
      absl::StrAppend(&out_, "<spontaneous>\n");
    }
    for (const uint32_t index : arcs) {
      const GraphArc& arc = graph_.arcs[index];
      PrintArc(arc, arc.caller, SharesTime(arc), CallsOfCallee(arc));
    }
  }

  void PrintCallees(uint32_t function) {
    for (const uint32_t index : SortedCallees(function)) {
      const GraphArc& arc = graph_.arcs[index];
      PrintArc(arc, arc.callee, SharesTime(arc), CallsOfCallee(arc));
    }
  }

  void PrintMembers(uint32_t cycle_node) {
    std::vector<uint32_t> members = graph_.cycles[cycle_node - graph_.function_count()];
    std::stable_sort(members.begin(), members.end(), [this](uint32_t a, uint32_t b) {
      const GraphNode& left = graph_.nodes[a];
      const GraphNode& right = graph_.nodes[b];
      const double left_time = left.propagated_self + left.propagated_child;
      const double right_time = right.propagated_self + right.propagated_child;
      if (left_time != right_time) return left_time > right_time;
      return left.calls + left.self_calls > right.calls + right.self_calls;
    });
    for (const uint32_t member : members) {
      const GraphNode& node = graph_.nodes[member];
      out_.append(12, ' ');
      AppendSeconds(node.propagated_self);
      AppendSeconds(node.propagated_child);
      AppendCalls(node);
      out_.append(4, ' ');
      AppendName(member);
      out_ += '\n';
    }
  }

  void AppendCalls(const GraphNode& node) {
    if (node.self_calls == 0) {
      absl::StrAppendFormat(&out_, " %7d %7s ", node.calls, "");
    } else {
      absl::StrAppendFormat(&out_, " %7d+%-7d ", node.calls, node.self_calls);
    }
  }

  void PrintEntry(uint32_t index) {
    const GraphNode& node = graph_.nodes[index];
    if (!IsCycle(index)) PrintCallers(index);
    const double time = node.propagated_self + node.propagated_child;
    absl::StrAppendFormat(&out_, "%-6.6s %5.1f", absl::StrCat("[", index_[index], "]"),
                          total_ > 0 ? 100 * time / total_ : 0.0);
    AppendSeconds(node.propagated_self);
    AppendSeconds(node.propagated_child);
    if (node.calls + node.self_calls == 0) {
      absl::StrAppendFormat(&out_, " %7s %7s ", "", "");
    } else {
      AppendCalls(node);
    }
    AppendName(index);
    out_ += '\n';
    if (IsCycle(index)) {
      PrintMembers(index);
    } else {
      PrintCallees(index);
    }
    absl::StrAppend(&out_, "-----------------------------------------------\n");
  }

  // Every entry by name, in three columns, read downwards.
  void PrintNameIndex() {
    std::vector<uint32_t> entries;
    for (uint32_t node = 0; node < graph_.nodes.size(); ++node) {
      // GNU gprof's index has what its flat profile has, and all cycles.
      const bool in_flat = graph_.nodes[node].calls != 0 || graph_.nodes[node].self != 0;
      if (IsCycle(node) || options_.show_unused || in_flat) {
        entries.push_back(node);
      }
    }
    std::stable_sort(entries.begin(), entries.end(), [this](uint32_t a, uint32_t b) {
      if (IsCycle(a) || IsCycle(b)) return !IsCycle(a) && IsCycle(b);
      return LinkageName(a) < LinkageName(b);
    });
    constexpr size_t kColumns = 3;
    constexpr size_t kColumnWidth = 28;
    constexpr size_t kNumberWidth = 6;
    absl::StrAppend(&out_, "Index by function name\n\n");
    const size_t rows = (entries.size() + kColumns - 1) / kColumns;
    for (size_t row = 0; row < rows; ++row) {
      const size_t line_start = out_.size();
      for (size_t column = 0; column < kColumns; ++column) {
        const size_t entry = column * rows + row;
        if (entry >= entries.size()) break;
        const uint32_t node = entries[entry];
        const std::string number = Number(node);
        // Numbers end in the same column; a long name pushes the next along.
        const size_t used = out_.size() - line_start + number.size();
        const size_t end = column * kColumnWidth + kNumberWidth;
        out_.append(end > used ? end - used : 1, ' ');
        absl::StrAppend(&out_, number, " ", IndexName(node));
      }
      out_ += '\n';
    }
  }

  std::string IndexName(uint32_t node) const {
    if (!IsCycle(node)) return absl::StrCat(input_.names[node], input_.files[node]);
    return absl::StrCat("<cycle ", node - graph_.function_count() + 1, ">");
  }

  const ListingInput& input_;
  const CallGraph& graph_;
  const ListingOptions& options_;
  const double rate_;
  double total_ = 0;             // samples of the functions that take part
  std::vector<uint32_t> order_;  // nodes, as listed
  std::vector<uint32_t> index_;  // by node: its place in the listing, from 1
  std::string out_;
};

}  // namespace

std::string PrintGraphListing(const ListingInput& input, const ListingOptions& options) {
  return GraphListing(input, options).Print();
}

}  // namespace gprofhub
