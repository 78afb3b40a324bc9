// A sample's stack identifies the callers on whose behalf its time was spent:
//
//   total of a function  = samples with it anywhere on the stack
//   time along an arc    = samples whose stack contains the arc
//
// Each is counted once per sample, even if recursion repeats it. This needs no assumption of equal
// costs per call, and no special case for cycles: each member has its own total.
//
// Stacks are a forest, callers above callees. One walk suffices: a frame that adds a function or an
// arc to the path for the first time credits it with the samples of the whole subtree below. The
// self time of the callee is credited sample by sample to the arcs into it on the path.
//
// Hidden frames. Stacks are unwound along frame pointers. Code without frame pointers (libc's)
// leaves its caller's value in the register, so the unwinder skips the caller and continues with
// the caller's caller. But the call is known: the return address in the frame above belongs to a
// call site whose callees were counted exactly. If the next frame's function is not one of them,
// the only callee of the site is inserted. If the site has several callees, the only one with a
// counted call of the next frame is inserted. Otherwise no arc is credited.
//
// Samples without a stack, or with unreadable outer frames, are propagated by call counts from the
// end of their stack: Propagate runs over the same graph with only these samples, and its result is
// added to the measured times.
#include "analyzer/graph/measured_times.h"

#include <algorithm>
#include <tuple>

#include "analyzer/graph/call_graph.h"

namespace gprofhub::analyzer {

std::vector<StackNode> ResolveStacks(
    size_t count, absl::FunctionRef<const profile::StackFrame&(size_t i)> frame_at,
    absl::FunctionRef<FrameFunction(size_t i, uint64_t address)> function_at, double weight) {
  std::vector<bool> is_caller(count, false);
  for (size_t i = 0; i < count; ++i) {
    if (const int64_t parent = frame_at(i).parent; parent >= 0) is_caller[parent] = true;
  }
  std::vector<StackNode> forest;
  forest.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const profile::StackFrame& frame = frame_at(i);
    FrameFunction found;
    if (frame.other == 0) {
      found = function_at(i, is_caller[i] && frame.pc > 0 ? frame.pc - 1 : frame.pc);
    }
    StackNode node;
    node.parent = frame.parent;
    node.samples = weight * static_cast<double>(frame.samples);
    node.other = frame.other;
    node.function = found.function;
    if (found.function != kNoFunction) {
      node.site = frame.pc - found.entry;
    } else {
      node.is_missing = frame.other == 0 && frame.pc == profile::kFramesMissing;
    }
    forest.push_back(node);
  }
  return forest;
}

void KnownCalls::Add(uint32_t caller, uint64_t site, uint32_t callee) {
  Callees& callees = by_site_[{caller, site}];
  if (std::find(callees.begin(), callees.end(), callee) == callees.end()) {
    callees.push_back(callee);
  }
  pairs_.insert(uint64_t{caller} << 32 | callee);
  counted_.insert(callee);
}

const KnownCalls::Callees* KnownCalls::FromSite(uint32_t caller, uint64_t site) const {
  const auto found = by_site_.find({caller, site});
  return found == by_site_.end() ? nullptr : &found->second;
}

bool KnownCalls::Calls(uint32_t caller, uint32_t callee) const {
  return pairs_.contains(uint64_t{caller} << 32 | callee);
}

namespace {

// The missing frame between a caller's frame and the next readable one.
struct Between {
  bool is_known = true;             // false: there is a frame, its function is unknown
  uint32_t function = kNoFunction;  // kNoFunction: nothing
};

Between FindHidden(const KnownCalls& known, uint32_t caller, uint64_t site, uint32_t next) {
  const KnownCalls::Callees* callees = known.FromSite(caller, site);
  if (callees == nullptr || std::find(callees->begin(), callees->end(), next) != callees->end()) {
    return {};
  }
  if (callees->size() == 1) return {true, callees->front()};
  Between between{false, kNoFunction};
  for (const uint32_t callee : *callees) {
    if (!known.Calls(callee, next)) continue;
    if (between.is_known) return {false, kNoFunction};
    between = {true, callee};
  }
  return between;
}

double SamplesOf(const StackNode& node) { return node.other > 0 ? 0 : node.samples; }

}  // namespace

std::vector<StackNode> WithHiddenFrames(std::vector<StackNode> forest, const KnownCalls& known) {
  absl::flat_hash_map<std::pair<int64_t, uint32_t>, int64_t> added;
  const size_t count = forest.size();
  for (size_t i = 0; i < count; ++i) {
    const int64_t parent = forest[i].parent;
    if (parent < 0 || forest[parent].function == kNoFunction) continue;
    const Between between =
        FindHidden(known, forest[parent].function, forest[parent].site, forest[i].function);
    if (between.function == kNoFunction) continue;
    const auto [place, is_new] =
        added.try_emplace({parent, between.function}, static_cast<int64_t>(forest.size()));
    forest[i].parent = place->second;
    if (!is_new) continue;
    StackNode hidden;
    hidden.function = between.function;
    hidden.parent = parent;
    forest.push_back(hidden);
  }
  return forest;
}

StackMeter::StackMeter(uint32_t functions, std::vector<uint32_t> representatives, uint32_t nodes,
                       const KnownCalls& known, absl::flat_hash_set<uint32_t> outermost,
                       bool by_site)
    : known_(known),
      representatives_(std::move(representatives)),
      outermost_(std::move(outermost)),
      by_site_(by_site),
      on_path_(nodes, 0),
      active_into_(functions) {
  times_.total.resize(nodes);
  times_.self.resize(functions);
  times_.cut.resize(functions);
}

void StackMeter::CountFunction(uint32_t function, double samples) {
  path_functions_.push_back(function);
  if (outermost_.contains(function)) ++known_to_end_;
  if (on_path_[function]++ == 0) times_.total[function] += samples;
  const uint32_t whole = representatives_[function];
  if (whole != function && on_path_[whole]++ == 0) times_.total[whole] += samples;
}

void StackMeter::CountArc(ArcKey key, double samples) {
  if (!by_site_) key.has_site = false, key.site = 0;
  const auto [row, is_new] = arc_rows_.try_emplace(key, times_.arcs.size());
  if (is_new) {
    times_.arcs.push_back({key.caller, key.callee, key.has_site, key.site, 0, 0});
    arc_on_path_.push_back(0);
  }
  const uint32_t arc = row->second;
  path_arcs_.push_back(arc);
  if (arc_on_path_[arc]++ > 0) return;
  times_.arcs[arc].child += samples;  // those in the callee itself are moved to self
  active_into_[key.callee].push_back(arc);
}

void StackMeter::CountSamples(const StackNode& node) {
  times_.samples += node.samples;
  if (!is_cut_ || known_to_end_ > 0) {
    times_.complete += node.samples;
  } else if (!path_functions_.empty()) {
    times_.cut[path_functions_.front()] += node.samples;
  }
  if (node.function == kNoFunction) return;
  times_.self[node.function] += node.samples;
  for (const uint32_t arc : active_into_[node.function]) {
    times_.arcs[arc].self += node.samples;
    times_.arcs[arc].child -= node.samples;
  }
}

void StackMeter::Enter(const std::vector<StackNode>& forest, size_t node, double subtree) {
  const StackNode& frame = forest[node];
  if (frame.parent < 0) is_cut_ = frame.is_missing;
  if (frame.function != kNoFunction) {
    const uint32_t caller = frame.parent < 0 ? kNoFunction : forest[frame.parent].function;
    if (caller != kNoFunction) {
      const uint64_t site = forest[frame.parent].site;
      const Between between = FindHidden(known_, caller, site, frame.function);
      if (between.function != kNoFunction) {
        CountFunction(between.function, subtree);
        CountArc({caller, between.function, true, site}, subtree);
        // Counted calls of the next frame would have shown this one.
        if (!known_.IsCounted(frame.function) || known_.Calls(between.function, frame.function)) {
          CountArc({between.function, frame.function, false, 0}, subtree);
        }
      } else if (between.is_known) {
        CountArc({caller, frame.function, true, site}, subtree);
      }
    }
    CountFunction(frame.function, subtree);
  }
  if (SamplesOf(frame) > 0) CountSamples(frame);
}

void StackMeter::Leave(const Undo& undo) {
  for (; path_functions_.size() > undo.functions; path_functions_.pop_back()) {
    const uint32_t function = path_functions_.back();
    if (outermost_.contains(function)) --known_to_end_;
    --on_path_[function];
    if (representatives_[function] != function) --on_path_[representatives_[function]];
  }
  for (; path_arcs_.size() > undo.arcs; path_arcs_.pop_back()) {
    const uint32_t arc = path_arcs_.back();
    if (--arc_on_path_[arc] == 0) active_into_[times_.arcs[arc].callee].pop_back();
  }
}

void StackMeter::Add(const std::vector<StackNode>& forest) {
  // The roots are children of one additional node.
  const size_t count = forest.size();
  const Groups children_of = GroupBy(forest, count + 1, [count](const StackNode& node) {
    return node.parent < 0 ? count : static_cast<size_t>(node.parent);
  });
  // Appends the children to `list`, in the order of the forest.
  const auto append_children = [&](size_t node, auto& list) {
    const absl::Span<const uint32_t> last_first = children_of[node];
    for (auto child = last_first.rbegin(); child != last_first.rend(); ++child) {
      list.push_back({*child});
    }
  };

  // Callers before callees; then in reverse, summing the subtrees.
  std::vector<uint32_t> order;
  order.reserve(count);
  append_children(count, order);
  for (size_t at = 0; at < order.size(); ++at) append_children(order[at], order);
  std::vector<double> subtree(count);
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    subtree[*node] += SamplesOf(forest[*node]);
    if (forest[*node].parent >= 0) subtree[forest[*node].parent] += subtree[*node];
  }

  struct Step {
    uint32_t node;
    bool is_entered = false;
    Undo undo = {};
  };
  std::vector<Step> steps;
  append_children(count, steps);
  while (!steps.empty()) {
    Step& step = steps.back();
    if (step.is_entered) {
      Leave(step.undo);
      steps.pop_back();
      continue;
    }
    const uint32_t node = step.node;
    step.is_entered = true;
    step.undo = {path_functions_.size(), path_arcs_.size()};
    if (subtree[node] == 0) continue;
    Enter(forest, node, subtree[node]);
    append_children(node, steps);
  }
}

MeasuredTimes StackMeter::Take() {
  std::sort(times_.arcs.begin(), times_.arcs.end(), [](const MeasuredArc& a, const MeasuredArc& b) {
    return std::tie(a.caller, a.callee, a.has_site, a.site) <
           std::tie(b.caller, b.callee, b.has_site, b.site);
  });
  return std::move(times_);
}

CallGraph EstimateRest(const MeasuredTimes& measured, const CallGraph& graph) {
  CallGraph rest = graph;
  for (uint32_t i = 0; i < rest.nodes.size(); ++i) {
    GraphNode& node = rest.nodes[i];
    node.child = node.propagated_self = node.propagated_child = 0;
    if (i >= rest.function_count()) {
      node.self = 0;
      node.calls = node.self_calls = 0;
    } else {
      node.self = std::max(0.0, node.self - measured.self[i]) + measured.cut[i];
    }
  }
  Propagate(rest);
  return rest;
}

double OwnShareOfRest(const MeasuredTimes& measured, const CallGraph& rest, uint32_t callee) {
  const double handed = rest.nodes[callee].self;
  return handed > 0 ? 1 - std::min(1.0, measured.cut[callee] / handed) : 1;
}

void ApplyMeasuredTimes(const MeasuredTimes& measured, const CallGraph& rest, CallGraph& graph) {
  std::vector<double> self = measured.self;  // by node
  self.resize(graph.nodes.size());
  for (uint32_t function = 0; function < graph.function_count(); ++function) {
    const uint32_t whole = graph.Representative(function);
    if (whole != function) self[whole] += self[function];
  }
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    GraphNode& node = graph.nodes[i];
    node.child = measured.total[i] - self[i] + rest.nodes[i].child;
    node.propagated_child = node.fraction * node.child;
  }
  absl::flat_hash_map<uint64_t, uint32_t> rows;
  rows.reserve(graph.arcs.size());
  graph.measured_times.reserve(graph.arcs.size());
  for (uint32_t i = 0; i < graph.arcs.size(); ++i) {
    const GraphArc& arc = graph.arcs[i];
    rows[uint64_t{arc.caller} << 32 | arc.callee] = i;
    const double own = OwnShareOfRest(measured, rest, arc.callee);
    const ArcTime time = rest.TimeOf(i);
    graph.measured_times.push_back({time.self * own, time.child + time.self * (1 - own)});
  }
  for (const MeasuredArc& measured_arc : measured.arcs) {
    const auto row = rows.find(uint64_t{measured_arc.caller} << 32 | measured_arc.callee);
    if (row == rows.end()) continue;
    const double fraction = graph.nodes[measured_arc.caller].fraction;
    ArcTime& time = graph.measured_times[row->second];
    time.self += fraction * measured_arc.self;
    time.child += fraction * measured_arc.child;
  }
}

}  // namespace gprofhub::analyzer
