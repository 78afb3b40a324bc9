// Steps:
//   1. one numbering of the functions of all modules; samples to functions
//      (target_samples.cc);
//   2. arc records to (caller, call site, callee), sorted, so that nothing after
//      this depends on the order of the input;
//   3. call graph, cycles, propagation; calls from no function come from an additional node,
//      "spontaneous", so that they take their share of the time;
//   4. if stacks were recorded, measured times replace propagated ones;
//   5. rows for the functions that have samples or calls or are on a stack, for their arcs, and for
//      their lines (source_places.cc).
#include "analyzer/worker/compute_profile.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "analyzer/graph/call_graph.h"
#include "analyzer/graph/function_table.h"
#include "analyzer/graph/measured_times.h"
#include "analyzer/worker/target_profile.h"
#include "base/string_interner.h"
#include "profile/computed.h"

namespace gprofhub::analyzer {

FileIndices::FileIndices(const TargetProfile& target, base::StringInterner& strings)
    : target_(target), strings_(strings) {
  for (const TargetModule& module : target.modules) {
    known_.emplace_back(module.symbols == nullptr ? 0 : module.symbols->files.size(), 0);
  }
}

const std::string& FileIndices::Name(size_t module, uint32_t file) const {
  static const std::string kUnknown;
  return file < known_[module].size() ? target_.modules[module].symbols->files[file] : kUnknown;
}

uint32_t FileIndices::Index(size_t module, uint32_t file) {
  if (file >= known_[module].size()) return 0;
  uint32_t& known = known_[module][file];
  if (known == 0) known = 1 + strings_.IndexOf(Name(module, file));
  return known - 1;
}

FunctionSpace::FunctionSpace(const std::vector<TargetModule>& modules) : first_{0} {
  for (const TargetModule& module : modules) {
    const bool has_brackets = absl::StartsWith(module.name, "[");
    module_names_.push_back(has_brackets ? module.name : absl::StrCat("[", module.name, "]"));
    FunctionTable table;
    if (module.symbols != nullptr) {
      table = BuildFunctionTable(*module.symbols, SymbolPolicy::kExact);
    }
    tables_.push_back(std::make_unique<const FunctionTable>(std::move(table)));
    const bool is_known = module.symbols != nullptr;
    finders_.push_back(is_known ? std::make_unique<const FunctionFinder>(*tables_.back())
                                : nullptr);
    const size_t functions = is_known ? tables_.back()->functions.size() : 1;
    first_.push_back(first_.back() + static_cast<uint32_t>(functions));
  }
}

size_t FunctionSpace::ModuleOf(uint32_t function) const {
  return static_cast<size_t>(std::upper_bound(first_.begin(), first_.end(), function) -
                             first_.begin()) -
         1;
}

uint32_t FunctionSpace::Find(size_t module, uint64_t pc) const {
  if (finders_[module] == nullptr) return first_[module];
  const uint32_t row = finders_[module]->ByAddress(pc);
  return row == kNoFunction ? kNoFunction : first_[module] + row;
}

bool FunctionSpace::IsModule(uint32_t function) const {
  return finders_[ModuleOf(function)] == nullptr;
}

uint64_t FunctionSpace::AddressOf(uint32_t function) const {
  const size_t module = ModuleOf(function);
  if (finders_[module] == nullptr) return 0;
  return tables_[module]->functions[function - first_[module]].address;
}

const std::string& FunctionSpace::NameOf(uint32_t function) const {
  const size_t module = ModuleOf(function);
  if (finders_[module] == nullptr) return module_names_[module];
  return tables_[module]->functions[function - first_[module]].symbol->name;
}

void MergeSiteArcs(uint32_t callers, std::vector<SiteArc>& arcs) {
  const auto is_before = [](const SiteArc& a, const SiteArc& b) {
    return a.site_offset != b.site_offset ? a.site_offset < b.site_offset : a.callee < b.callee;
  };
  SortByCaller(callers, is_before, arcs);
  size_t kept = 0;
  for (size_t i = 0; i < arcs.size(); ++i) {
    if (kept > 0 && Key(arcs[kept - 1]) == Key(arcs[i])) {
      arcs[kept - 1].count += arcs[i].count;
      arcs[kept - 1].self += arcs[i].self;
      arcs[kept - 1].child += arcs[i].child;
    } else {
      arcs[kept++] = arcs[i];
    }
  }
  arcs.resize(kept);
}

namespace {

// Fewer samples, or a smaller share of a module's, outside of all functions need no note.
constexpr double kSamplesWorthANote = 2;
constexpr double kShareWorthANote = 0.01;

// Adds the samples of one module to `samples`. Returns their numbers.
struct ModuleSamples {
  double total = 0;
  double attributed = 0;  // to functions
};
ModuleSamples AddModule(const TargetModule& module, size_t m, const FunctionSpace& functions,
                        const CommonRate& rate, std::vector<double>& samples) {
  ModuleSamples sum;
  for (const auto& [weight, histograms] : WeighHistograms(module, rate)) {
    const AssignedSamples assigned =
        AssignSamples(functions.TableOf(m), histograms, SymbolPolicy::kExact);
    sum.total += weight * assigned.total;
    for (uint32_t row = 0; row < assigned.by_function.size(); ++row) {
      samples[functions.FirstOf(m) + row] += weight * assigned.by_function[row];
      sum.attributed += weight * assigned.by_function[row];
    }
    if (module.symbols == nullptr) {
      samples[functions.FirstOf(m)] += weight * assigned.total;
      sum.attributed += weight * assigned.total;
    }
  }
  return sum;
}

}  // namespace

std::vector<WeightedHistograms> WeighHistograms(const TargetModule& module,
                                                const CommonRate& rate) {
  std::vector<WeightedHistograms> weighted;
  const absl::Span<const profile::Histogram> all = module.histograms;
  // Histograms of one dimension and rate are adjacent.
  for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    const profile::Histogram& first = all[begin];
    while (end < all.size() && all[end].dimension == first.dimension &&
           all[end].rate == first.rate) {
      ++end;
    }
    weighted.push_back({rate.Weight(first.dimension, first.rate), all.subspan(begin, end - begin)});
  }
  return weighted;
}

std::vector<double> SamplesOfFunctions(const TargetProfile& target, const FunctionSpace& functions,
                                       const CommonRate& rate, profile::ComputedProfile& profile) {
  profile.sample_rate = rate.rate;
  profile.dimension = rate.dimension;
  std::vector<double> samples(functions.size() + 1, 0.0);
  for (size_t m = 0; m < target.modules.size(); ++m) {
    const TargetModule& module = target.modules[m];
    const ModuleSamples sum = AddModule(module, m, functions, rate, samples);
    profile.total_samples += sum.total;
    // Less than a millionth is rounding.
    if (sum.total - sum.attributed <= sum.total * 1e-6) continue;
    profile.unattributed_samples += sum.total - sum.attributed;
    if (sum.total - sum.attributed < kSamplesWorthANote ||
        sum.total - sum.attributed < kShareWorthANote * sum.total) {
      continue;
    }
    profile.warnings.push_back(
        absl::StrFormat("%s: %.0f of %.0f samples are outside the functions of the image",
                        module.name, sum.total - sum.attributed, sum.total));
  }
  for (const auto& [key, sampling] : target.sampling) {
    const double weight = rate.Weight(key.first, key.second);
    profile.overhead_samples += weight * sampling.overhead;
    profile.total_samples += weight * sampling.nowhere;
    profile.unattributed_samples += weight * sampling.nowhere;
  }
  if (rate.left_out > 0) {
    profile.warnings.push_back(
        absl::StrFormat("%.0f samples that do not count %s are skipped; record all profiles of a "
                        "target in one dimension",
                        rate.left_out, rate.dimension));
  }
  return samples;
}

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
    AppendLines(target_, functions_, rate_, rows_, files_, profile_.lines);
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
      profile_.warnings.push_back(
          absl::StrFormat("%s: skipped %d calls to addresses outside the functions of the image",
                          target_.modules[m].name, unresolved[m]));
    }
    if (target_.incomplete > 0) {
      profile_.incomplete_calls = true;
      profile_.warnings.push_back(absl::StrFormat(
          "calls are missing: %d recordings could not hold all of them; see gprofhub info",
          target_.incomplete));
    }
    if (target_.calls_nowhere > 0) {
      profile_.warnings.push_back(absl::StrFormat(
          "skipped %d calls to addresses outside all images", target_.calls_nowhere));
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
    rows_.assign(functions_.size() + 1, kNoFunction);
    for (size_t m = 0; m < target_.modules.size(); ++m) {
      const profile::SymbolTable* const symbols = target_.modules[m].symbols;
      LineFinder lines(symbols != nullptr ? symbols->lines : kNoLines);
      for (uint32_t i = functions_.FirstOf(m); i < functions_.FirstOf(m + 1); ++i) {
        const GraphNode& node = graph_.nodes[i];
        if (!is_used[i] && node.self == 0 && (!measured_ || measured_->total[i] == 0)) continue;
        rows_[i] = static_cast<uint32_t>(profile_.functions.size());
        profile_.functions.push_back(DescribeFunction(m, i, lines));
        AppendInlined(m, i, rows_[i]);
        AppendAliases(m, i, rows_[i]);
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

  // The other names of a function.
  void AppendAliases(size_t m, uint32_t function, uint32_t row) {
    if (functions_.IsModule(function)) return;
    for (const profile::FunctionSymbol& symbol :
         SymbolsAt(*target_.modules[m].symbols, functions_.AddressOf(function))) {
      if (!symbol.is_function || symbol.name == functions_.NameOf(function)) continue;
      profile_.aliases.push_back({row, strings_.IndexOf(symbol.name)});
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
  std::vector<uint32_t> rows_;     // by function: row in ComputedProfile::functions, or kNoFunction
};

}  // namespace

profile::ComputedProfile ComputeProfile(const TargetProfile& target,
                                        const ComputeOptions& options) {
  profile::ComputedProfile profile;
  profile.repetitions = options.repetitions;
  profile.profiles = options.profiles;
  profile.environments = target.environments;
  TargetComputation(target, profile).Run();
  return profile;
}

}  // namespace gprofhub::analyzer
