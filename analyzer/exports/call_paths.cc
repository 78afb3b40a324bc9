// Unfolding. The call graph gives each caller's share of a function's time, but not the path of
// each share. gprof's assumption that a call costs the same from every caller determines the paths.
// If a path enters a function of total time T with weight w, then w / T of the function's self time
// is spent on this path, and w / T of the time that each of its calls propagates is spent below
// that call. The graph with collapsed cycles is acyclic, so every path ends. A cycle is entered at
// one member and appears as that member with the others below it. The nodes' samples sum to the
// profile's.
//
// The number of paths can be very large. The heaviest paths are unfolded first. Once the limit is
// reached, the remainder of a path is summed in one node.
//
// Source: Graham, Kessler, McKusick, "gprof: a Call Graph Execution Profiler"
// (1982), section 4, applied from callers to callees.
#include "analyzer/exports/call_paths.h"

#include <queue>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::analyzer {

namespace {

class Unfolding {
 public:
  Unfolding(const ListingInput& listing, size_t limit) : graph_(listing.graph), limit_(limit) {}

  std::vector<PathNode> Run() {
    AddOutermost();
    while (!waiting_.empty()) {
      const Entry entry = waiting_.top();
      waiting_.pop();
      if (nodes_.size() >= limit_) {
        nodes_.push_back({kDeeperFrame, entry.node, entry.weight});
      } else {
        Expand(entry);
      }
    }
    return std::move(nodes_);
  }

 private:
  // A path, and the samples (self and below) with which its last function was entered.
  struct Entry {
    double weight;
    int64_t node;
    bool operator<(const Entry& other) const {
      return weight != other.weight ? weight < other.weight : node > other.node;
    }
  };

  double Total(uint32_t node) const {
    return graph_.nodes[node].propagated_self + graph_.nodes[node].propagated_child;
  }

  double SamplesOf(uint32_t arc) const {
    const ArcTime time = graph_.TimeOf(arc);
    return time.self + time.child;
  }

  void Enter(uint32_t row, int64_t parent, double weight) {
    nodes_.push_back({row, parent, 0});
    waiting_.push({weight, static_cast<int64_t>(nodes_.size()) - 1});
  }

  // A path begins at each node whose time has no caller.
  void AddOutermost() {
    std::vector<double> handed_up(graph_.nodes.size());
    for (uint32_t arc = 0; arc < graph_.arcs.size(); ++arc) {
      if (graph_.IsWithinCycle(graph_.arcs[arc])) continue;
      handed_up[graph_.Representative(graph_.arcs[arc].callee)] += SamplesOf(arc);
    }
    for (uint32_t row = 0; row < graph_.function_count(); ++row) {
      const uint32_t node = graph_.Representative(row);
      // A cycle begins at its first member.
      if (node != row && graph_.cycles[graph_.nodes[row].cycle - 1].front() != row) continue;
      const double weight = Total(node) - handed_up[node];
      if (weight > 1e-9 * Total(node)) Enter(row, -1, weight);
    }
  }

  void Expand(const Entry& entry) {
    const uint32_t row = nodes_[entry.node].row;
    const uint32_t node = graph_.Representative(row);
    if (Total(node) <= 0) return;
    const double share = entry.weight / Total(node);
    if (node == row) {
      ExpandFunction(row, entry.node, share);
      return;
    }
    for (const uint32_t member : graph_.cycles[graph_.nodes[row].cycle - 1]) {
      int64_t place = entry.node;
      if (member != row) {
        nodes_.push_back({member, entry.node, 0});
        place = static_cast<int64_t>(nodes_.size()) - 1;
      }
      ExpandFunction(member, place, share);
    }
  }

  void ExpandFunction(uint32_t row, int64_t place, double share) {
    nodes_[place].samples += graph_.nodes[row].propagated_self * share;
    for (const uint32_t index : graph_.ArcsFrom(row)) {
      const GraphArc& arc = graph_.arcs[index];
      const double weight = SamplesOf(index) * share;
      if (weight > 0 && !graph_.IsWithinCycle(arc)) Enter(arc.callee, place, weight);
    }
  }

  const CallGraph& graph_;
  const size_t limit_;
  std::vector<PathNode> nodes_;
  std::priority_queue<Entry> waiting_;
};

// The recorded stacks, parents first. Frames that call main are start-up code and left out.
std::vector<PathNode> MeasuredPaths(const ListingInput& listing) {
  const std::vector<StackNode>& stacks = listing.stacks;
  const auto rows = static_cast<uint32_t>(listing.rows.size());
  std::vector<PathNode> nodes;
  std::vector<int64_t> place(stacks.size(), -1);
  std::vector<size_t> path;
  for (size_t i = 0; i < stacks.size(); ++i) {
    path.clear();
    for (int64_t at = static_cast<int64_t>(i); at >= 0 && place[static_cast<size_t>(at)] < 0;
         at = stacks[static_cast<size_t>(at)].parent) {
      path.push_back(static_cast<size_t>(at));
    }
    for (; !path.empty(); path.pop_back()) {
      const StackNode& frame = stacks[path.back()];
      const uint32_t row = frame.other > 0                 ? rows + frame.other - 1
                           : frame.is_missing              ? kUnreadableFrame
                           : frame.function == kNoFunction ? kImageFrame
                                                           : frame.function;
      place[path.back()] = static_cast<int64_t>(nodes.size());
      const bool is_outermost =
          frame.parent < 0 || (row < rows && listing.rows.LinkageName(row) == "main");
      const int64_t parent = is_outermost ? -1 : place[static_cast<size_t>(frame.parent)];
      nodes.push_back({row, parent, frame.samples});
    }
  }
  return nodes;
}

// Adds the samples that are on no path as paths of one frame each.
void AddRest(const ListingInput& listing, const profile::RawProfile& profile, bool of_rows,
             std::vector<PathNode>& nodes) {
  double in_image = listing.total_samples;
  std::vector<double> rest(listing.rows.size());
  for (uint32_t row = 0; row < rest.size(); ++row) {
    rest[row] = listing.graph.nodes[row].self;
    in_image -= rest[row];
  }
  if (of_rows) {
    for (const StackNode& frame : listing.stacks) {
      if (frame.other > 0) continue;
      (frame.function == kNoFunction ? in_image : rest[frame.function]) -= frame.samples;
    }
    for (uint32_t row = 0; row < rest.size(); ++row) {
      if (rest[row] >= 0.5) nodes.push_back({row, -1, rest[row]});
    }
  }
  if (in_image >= 0.5) nodes.push_back({kImageFrame, -1, in_image});
  for (size_t i = 0; i < profile.others.size(); ++i) {
    const auto samples = static_cast<double>(profile.others[i].samples);
    if (samples == 0) continue;
    nodes.push_back({static_cast<uint32_t>(rest.size() + i), -1, samples});
  }
}

// "[vdso]" has brackets of its own.
std::string InBrackets(absl::string_view object) {
  return absl::StartsWith(object, "[") ? std::string(object) : absl::StrCat("[", object, "]");
}

}  // namespace

CallPaths FindCallPaths(const ListingInput& listing, const profile::RawProfile& profile,
                        size_t limit) {
  CallPaths paths;
  paths.measured = !listing.stacks.empty();
  paths.nodes = paths.measured ? MeasuredPaths(listing) : Unfolding(listing, limit).Run();
  AddRest(listing, profile, /*of_rows=*/paths.measured, paths.nodes);
  return paths;
}

std::string FrameName(const ExportInput& input, uint32_t row) {
  switch (row) {
    case kImageFrame:
      return InBrackets(input.image);
    case kDeeperFrame:
      return "[deeper calls]";
    case kUnreadableFrame:
      return "[callers unknown]";
    default:
      if (row >= input.listing.rows.size()) {
        return InBrackets(input.profile.others[row - input.listing.rows.size()].name);
      }
      const absl::string_view name = input.listing.names[row];
      return name.empty() ? input.listing.rows.LinkageName(row) : std::string(name);
  }
}

std::string WithoutBreaks(absl::string_view name, absl::string_view forbidden) {
  std::string clean(name);
  for (char& c : clean) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f || forbidden.find(c) != absl::string_view::npos) c = '?';
  }
  return clean;
}

double UnitsPerSample(const ListingInput& listing) {
  return listing.rate == 0 ? 1 : 1.0 / listing.rate;
}

}  // namespace gprofhub::analyzer
