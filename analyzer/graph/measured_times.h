// Total times measured from the call stacks of samples, if stacks were recorded. Call counts only
// give estimates (propagate.h).
//
//   StackMeter meter(...);
//   meter.Add(forest);  // once per process
//   const MeasuredTimes measured = meter.Take();
//   const CallGraph rest = EstimateRest(measured, graph);  // after Propagate(graph)
//   ApplyMeasuredTimes(measured, rest, graph);
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "analyzer/graph/call_graph.h"
#include "analyzer/graph/function_table.h"
#include "profile/raw_profile.h"

namespace gprofhub::analyzer {

// The call stacks of samples, with the functions of their frames.

// A frame of the sampled stacks (raw_profile.h), its function known.
struct StackNode {
  uint32_t function = kNoFunction;  // kNoFunction: unknown
  uint64_t site = 0;                // of a caller: the call's place in it, as in KnownCalls
  int64_t parent = -1;              // index; -1: outermost
  double samples = 0;               // taken while this frame was the innermost
  bool is_missing = false;          // represents frames that could not be read
  uint32_t other = 0;               // as StackFrame::other
};

// The function that contains a frame's code.
struct FrameFunction {
  uint32_t function = kNoFunction;
  uint64_t entry = 0;  // the function's address
};

// The forest of `count` frames; `frame_at` returns each. `function_at` returns the function of
// frame i at `address`; for a caller this is the byte before the return address, which may itself
// be the first byte of the next function. Frames in other objects have no function. Each sample
// counts as `weight`.
std::vector<StackNode> ResolveStacks(
    size_t count, absl::FunctionRef<const profile::StackFrame&(size_t i)> frame_at,
    absl::FunctionRef<FrameFunction(size_t i, uint64_t address)> function_at, double weight = 1);

// The counted calls, which identify the frames that the unwinder skipped (measured_times.cc).
class KnownCalls {
 public:
  void Add(uint32_t caller, uint64_t site, uint32_t callee);

  using Callees = absl::InlinedVector<uint32_t, 1>;
  // Functions called from `site` of `caller`; null if no call was counted.
  const Callees* FromSite(uint32_t caller, uint64_t site) const;
  bool Calls(uint32_t caller, uint32_t callee) const;
  // Whether any call of `callee` was counted.
  bool IsCounted(uint32_t callee) const { return counted_.contains(callee); }

 private:
  absl::flat_hash_map<std::pair<uint32_t, uint64_t>, Callees> by_site_;
  absl::flat_hash_set<uint64_t> pairs_;
  absl::flat_hash_set<uint32_t> counted_;
};

// The forest with the frames that the unwinder skipped, as far as the counted calls identify them.
// Nodes keep their places; the added ones are at the end.
std::vector<StackNode> WithHiddenFrames(std::vector<StackNode> forest, const KnownCalls& known);

struct MeasuredArc {
  uint32_t caller = 0;
  uint32_t callee = 0;
  bool has_site = false;  // false: unknown, as the caller has no frame pointer
  uint64_t site = 0;
  // Samples whose stack contains the arc: self samples of the callee, and samples of its callees.
  double self = 0;
  double child = 0;
};

struct MeasuredTimes {
  // By node of the graph: samples with the function (one of the cycle's) anywhere
  // on the stack.
  std::vector<double> total;
  // By function: its self samples that have a stack.
  std::vector<double> self;
  // By function: samples whose stack could be unwound to it and no further.
  std::vector<double> cut;
  std::vector<MeasuredArc> arcs;  // ascending by (caller, callee, has_site, site)
  double samples = 0;             // with a stack
  double complete = 0;            // of these: unwound to the end
};

class StackMeter {
 public:
  // Functions are [0, functions). `representatives`: for each function the node whose total
  // includes the function's total; itself outside cycles. `nodes`: number of all nodes. A stack
  // that contains a function of `outermost` is complete. `by_site` distinguishes arcs by call site.
  // `known` must outlive the meter.
  StackMeter(uint32_t functions, std::vector<uint32_t> representatives, uint32_t nodes,
             const KnownCalls& known, absl::flat_hash_set<uint32_t> outermost, bool by_site);

  // Adds the samples of a forest, except for those in other objects, in time linear in its nodes
  // where functions do not recur on the stacks. Parents lead to a root: no cycles.
  void Add(const std::vector<StackNode>& forest);

  MeasuredTimes Take();

 private:
  struct ArcKey {
    uint32_t caller;
    uint32_t callee;
    bool has_site;
    uint64_t site;
    template <typename H>
    friend H AbslHashValue(H state, const ArcKey& key) {
      return H::combine(std::move(state), key.caller, key.callee, key.has_site, key.site);
    }
    friend bool operator==(const ArcKey&, const ArcKey&) = default;
  };

  // Of a frame on the path from the outermost one.
  struct Undo {
    size_t functions;  // sizes of the path's lists before the frame
    size_t arcs;
  };

  void Enter(const std::vector<StackNode>& forest, size_t node, double subtree);
  void CountFunction(uint32_t function, double samples);
  void CountArc(ArcKey key, double samples);
  void CountSamples(const StackNode& node);
  void Leave(const Undo& undo);

  const KnownCalls& known_;
  const std::vector<uint32_t> representatives_;
  const absl::flat_hash_set<uint32_t> outermost_;
  const bool by_site_;
  MeasuredTimes times_;
  absl::flat_hash_map<ArcKey, uint32_t> arc_rows_;
  // The path that is being walked.
  bool is_cut_ = false;
  uint32_t known_to_end_ = 0;  // functions of outermost_ on the path
  std::vector<uint32_t> path_functions_;
  std::vector<uint32_t> path_arcs_;
  std::vector<uint32_t> on_path_;                   // by node: how often
  std::vector<uint32_t> arc_on_path_;               // by arc
  std::vector<std::vector<uint32_t>> active_into_;  // by function: the path's arcs into it
};

// The graph with only the samples that have no stack or a truncated one, propagated by call counts
// (Propagate) from the end of their stack.
CallGraph EstimateRest(const MeasuredTimes& measured, const CallGraph& graph);

// The part of an arc's `self` in `rest` that is self time of `callee`. The remainder belongs to its
// callees: stacks that were truncated there.
double OwnShareOfRest(const MeasuredTimes& measured, const CallGraph& rest, uint32_t callee);

// Replaces the estimated times (children of nodes, times of arcs) by the measured ones plus those
// of `rest`. `graph` must be propagated and `measured` taken without sites. Measured arcs that are
// not in the graph are ignored.
void ApplyMeasuredTimes(const MeasuredTimes& measured, const CallGraph& rest, CallGraph& graph);

}  // namespace gprofhub::analyzer
