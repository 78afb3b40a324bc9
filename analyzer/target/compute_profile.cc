// Steps:
//   1. one numbering of the functions of all modules; samples to functions
//      (target_samples.cc);
//   2. arc records to (caller, call site, callee), sorted, so that nothing after
//      this depends on the order of the input;
//   3. call graph, cycles, propagation; calls from no function come from an additional node,
//      "spontaneous", so that they take their share of the time;
//   4. if stacks were recorded, measured times replace propagated ones;
//   5. rows for the functions that have samples or calls or are on a stack, and for their arcs.
#include "analyzer/target/compute_profile.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_format.h"
#include "analyzer/functions/line_finder.h"
#include "analyzer/graph/call_graph.h"
#include "analyzer/graph/measured_times.h"
#include "analyzer/graph/propagate.h"
#include "analyzer/graph/stack_forest.h"
#include "analyzer/target/call_places.h"
#include "analyzer/target/common_rate.h"
#include "analyzer/target/describe_code.h"
#include "analyzer/target/file_indices.h"
#include "analyzer/target/function_space.h"
#include "analyzer/target/site_arc.h"
#include "analyzer/target/target_samples.h"
#include "base/string_interner.h"

namespace gprofhub::analyzer {
namespace {

class TargetComputation {
 public:
  TargetComputation(const TargetProfile& target, profile::ComputedProfile& profile)
      : target_(target),
        profile_(profile),
        strings_(profile.strings),
        files_(target, strings_),
        rate_(ChooseRate(target.sampling)),
        functions_(target.modules),
        spontaneous_(functions_.size()),
        graph_({}) {}

  void Run() {
    graph_ = CallGraph(SamplesOfFunctions(target_, functions_, rate_, profile_));
    ResolveArcs();
    for (const SiteArc& arc : arcs_) graph_.AddCalls(arc.caller, arc.callee, arc.count);
    graph_.Finish();
    Propagate(graph_);
    Measure();
    AppendFunctions();
    AppendArcs();
  }

 private:
  void ResolveArc(size_t caller_module, uint64_t from_pc, size_t callee_module, uint64_t self_pc,
                  uint64_t count, uint64_t& unresolved) {
    if (count == 0) return;
    const uint32_t callee = functions_.Find(callee_module, self_pc);
    if (callee == kNoFunction) {
      unresolved += count;
      return;
    }
    // The call ends before its return address, which may be the next function's.
    const uint32_t caller =
        from_pc == 0 ? kNoFunction : functions_.Find(caller_module, from_pc - 1);
    SiteArc arc{spontaneous_, 0, callee, count, 0, 0};
    if (caller != kNoFunction) {
      arc.caller = caller;
      arc.site_offset = from_pc - functions_.AddressOf(caller);
    }
    arcs_.push_back(arc);
  }

  void ResolveArcs() {
    std::vector<uint64_t> unresolved(target_.modules.size(), 0);
    for (size_t m = 0; m < target_.modules.size(); ++m) {
      for (const profile::RawArc& arc : target_.modules[m].arcs) {
        ResolveArc(m, arc.from_pc, m, arc.self_pc, arc.count, unresolved[m]);
      }
    }
    for (const profile::CrossArc& arc : target_.cross_arcs) {
      ResolveArc(arc.from_module, arc.from_pc, arc.to_module, arc.self_pc, arc.count,
                 unresolved[arc.to_module]);
    }
    MergeSiteArcs(spontaneous_ + 1, arcs_);
    for (size_t m = 0; m < unresolved.size(); ++m) {
      if (unresolved[m] == 0) continue;
      profile_.warnings.push_back(absl::StrFormat(
          "%s: %d calls went to addresses in no function of the image and are left out",
          target_.modules[m].name, unresolved[m]));
    }
    if (target_.calls_nowhere > 0) {
      profile_.warnings.push_back(absl::StrFormat(
          "%d calls went to addresses of no image and are left out", target_.calls_nowhere));
    }
  }

  std::vector<StackNode> ForestOf(const ProcessStacks& stacks, double weight) const {
    const std::vector<profile::ModuleFrame>& frames = stacks.frames;
    return ResolveStacks(
        frames.size(), [&](size_t i) -> const profile::StackFrame& { return frames[i].frame; },
        [&](size_t i, uint64_t address) -> FrameFunction {
          if (frames[i].module >= target_.modules.size()) return {};
          const uint32_t function = functions_.Find(frames[i].module, address);
          if (function == kNoFunction) return {};
          return {function, functions_.AddressOf(function)};
        },
        weight);
  }

  void Measure() {
    const bool has_stacks = std::any_of(
        target_.stacks.begin(), target_.stacks.end(),
        [this](const auto& stacks) { return rate_.Weight(stacks.dimension, stacks.rate) > 0; });
    if (!has_stacks) return;
    KnownCalls known;
    for (const SiteArc& arc : arcs_) {
      if (arc.caller != spontaneous_) known.Add(arc.caller, arc.site_offset, arc.callee);
    }
    const uint32_t nodes = static_cast<uint32_t>(graph_.nodes.size());
    std::vector<uint32_t> representatives;
    absl::flat_hash_set<uint32_t> outermost;
    for (uint32_t i = 0; i < graph_.function_count(); ++i) {
      representatives.push_back(graph_.Representative(i));
      if (i < spontaneous_ && functions_.NameOf(i) == "main") outermost.insert(i);
    }
    StackMeter meter(static_cast<uint32_t>(graph_.function_count()), std::move(representatives),
                     nodes, known, std::move(outermost), /*by_site=*/true);
    for (const ProcessStacks& stacks : target_.stacks) {
      const double weight = rate_.Weight(stacks.dimension, stacks.rate);
      if (weight > 0) meter.Add(ForestOf(stacks, weight));
    }
    measured_ = meter.Take();
    profile_.stack_samples = measured_->samples;
    profile_.complete_stack_samples = measured_->complete;
    rest_ = EstimateRest(*measured_, graph_);
    ApplyMeasuredTimes(*measured_, *rest_, graph_);
    for (const MeasuredArc& arc : measured_->arcs) {
      arcs_.push_back(
          {arc.caller, arc.has_site ? arc.site : 0, arc.callee, 0, arc.self, arc.child});
    }
    MergeSiteArcs(spontaneous_ + 1, arcs_);
  }

  void AppendFunctions() {
    const std::vector<profile::LineRow> kNoLines;
    std::vector<bool> is_used(functions_.size() + 1, false);
    for (const SiteArc& arc : arcs_) is_used[arc.caller] = is_used[arc.callee] = true;
    rows_.assign(functions_.size() + 1, 0);
    for (size_t m = 0; m < target_.modules.size(); ++m) {
      const profile::SymbolTable* const symbols = target_.modules[m].symbols;
      LineFinder lines(symbols != nullptr ? symbols->lines : kNoLines);
      for (uint32_t i = functions_.FirstOf(m); i < functions_.FirstOf(m + 1); ++i) {
        const GraphNode& node = graph_.nodes[i];
        if (!is_used[i] && node.self == 0 && (!measured_ || measured_->total[i] == 0)) continue;
        rows_[i] = static_cast<uint32_t>(profile_.functions.size());
        profile_.functions.push_back(DescribeFunction(m, i, lines));
        AppendInlined(m, i, rows_[i]);
      }
    }
    rows_[spontaneous_] = static_cast<uint32_t>(profile_.functions.size());
  }

  profile::FunctionCost DescribeFunction(size_t m, uint32_t function, LineFinder& lines) {
    const GraphNode& node = graph_.nodes[function];
    const TargetModule& module = target_.modules[m];
    profile::FunctionCost cost;
    cost.name = strings_.IndexOf(functions_.NameOf(function));
    cost.image = strings_.IndexOf(module.name);
    cost.calls = node.calls;
    cost.self_calls = node.self_calls;
    cost.self_samples = node.self;
    cost.cycle = node.cycle;
    cost.is_module = functions_.IsModule(function);
    if (cost.is_module) return cost;
    cost.child_samples = node.child;
    const TableFunction& row = functions_.TableOf(m).functions[function - functions_.FirstOf(m)];
    cost.toolchain = strings_.IndexOf(module.symbols->toolchains[row.symbol->toolchain]);
    cost.never_inlined = row.symbol->never_inlined;
    cost.file = files_.Index(m, DescribeCode(row, lines, cost));
    return cost;
  }

  // The functions inlined into a function.
  void AppendInlined(size_t m, uint32_t function, uint32_t row) {
    if (functions_.IsModule(function)) return;
    const uint64_t address =
        functions_.TableOf(m).functions[function - functions_.FirstOf(m)].symbol->address;
    const std::vector<profile::InlinedFunction>& inlined = target_.modules[m].symbols->inlined;
    for (auto next =
             std::lower_bound(inlined.begin(), inlined.end(), profile::InlinedFunction{address, 0});
         next != inlined.end() && next->into == address; ++next) {
      profile_.inlined.push_back({row, next->name});
    }
  }

  // The order is that of arcs_.
  void AppendArcs() {
    const CallGraph& estimated = rest_ ? *rest_ : graph_;
    std::vector<uint32_t> whole_of(estimated.function_count());  // by callee, of one caller
    uint32_t caller = kNoFunction;
    profile_.arcs.reserve(arcs_.size());
    for (const SiteArc& arc : arcs_) {
      profile::ArcCost cost;
      cost.caller = rows_[arc.caller];
      cost.callee = rows_[arc.callee];
      cost.site_offset = arc.site_offset;
      cost.count = arc.count;
      cost.self_samples = arc.self;
      cost.child_samples = arc.child;
      if (arc.count > 0) {
        if (arc.caller != caller) {
          caller = arc.caller;
          for (const uint32_t whole : estimated.ArcsFrom(caller)) {
            whole_of[estimated.arcs[whole].callee] = whole;
          }
        }
        const uint32_t whole = whole_of[arc.callee];
        const ArcTime time = estimated.TimeOf(whole);
        const double share =
            static_cast<double>(arc.count) / static_cast<double>(estimated.arcs[whole].count);
        const double own = measured_ ? OwnShareOfRest(*measured_, *rest_, arc.callee) : 1;
        cost.self_samples += time.self * share * own;
        cost.child_samples += (time.child + time.self * (1 - own)) * share;
      }
      profile_.arcs.push_back(cost);
    }
    NameCallSites(target_, functions_, arcs_, files_, profile_.arcs);
  }

  const TargetProfile& target_;
  profile::ComputedProfile& profile_;
  base::StringInterner strings_;
  FileIndices files_;
  const CommonRate rate_;
  const FunctionSpace functions_;
  const uint32_t spontaneous_;
  std::vector<SiteArc> arcs_;  // ascending by Key
  CallGraph graph_;
  std::optional<MeasuredTimes> measured_;
  std::optional<CallGraph> rest_;  // the part that was not measured
  std::vector<uint32_t> rows_;     // by function: row in ComputedProfile::functions
};

}  // namespace

profile::ComputedProfile ComputeProfile(const TargetProfile& target,
                                        const ComputeOptions& options) {
  profile::ComputedProfile profile;
  profile.repetitions = options.repetitions;
  profile.profiles = options.profiles;
  TargetComputation(target, profile).Run();
  return profile;
}

}  // namespace gprofhub::analyzer
