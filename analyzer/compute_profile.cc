// Steps, per image and in the order of their names:
//   1. functions from symbols, samples to functions;
//   2. arc records to (caller, call site, callee), summed and sorted, so that
//      nothing after this depends on the order of the input;
//   3. call graph, cycles, propagation; calls from no function come from one
//      more node, "spontaneous", so that they take their share of the time;
//   4. rows for the functions that have samples or calls, and for their arcs.
#include "analyzer/compute_profile.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "analyzer/assign_samples.h"
#include "analyzer/call_graph.h"
#include "analyzer/cycles.h"
#include "analyzer/function_table.h"
#include "analyzer/propagate.h"
#include "profile/profile_merge.h"

namespace gprofhub {
namespace {

struct SiteArc {
  uint32_t caller = 0;  // row of the function table; its size: spontaneous
  uint64_t site_offset = 0;
  uint32_t callee = 0;
  uint64_t return_address = 0;
  uint64_t count = 0;
};

class Strings {
 public:
  explicit Strings(std::vector<std::string>& strings) : strings_(strings) {}

  uint32_t Index(const std::string& text) {
    if (text.empty()) return 0;
    const auto [entry, is_new] = indices_.try_emplace(text, strings_.size());
    if (is_new) strings_.push_back(text);
    return entry->second;
  }

 private:
  std::vector<std::string>& strings_;
  absl::flat_hash_map<std::string, uint32_t> indices_;
};

const LineRow* FindLine(const SymbolTable& symbols, uint64_t address) {
  const auto after =
      std::upper_bound(symbols.lines.begin(), symbols.lines.end(), address,
                       [](uint64_t pc, const LineRow& row) { return pc < row.address; });
  if (after == symbols.lines.begin() || (after - 1)->line == 0) return nullptr;
  return &*(after - 1);
}

const std::string& FileName(const SymbolTable& symbols, uint32_t file) {
  static const std::string kUnknown;
  return file < symbols.files.size() ? symbols.files[file] : kUnknown;
}

std::string ImageKey(const SymbolTable& symbols) {
  return symbols.build_id.empty() ? symbols.image_name : symbols.build_id;
}

class ImageComputation {
 public:
  ImageComputation(const SymbolTable& symbols, const RawProfile& data)
      : symbols_(symbols),
        table_(BuildFunctionTable(symbols, SymbolPolicy::kExact)),
        spontaneous_(static_cast<uint32_t>(table_.functions.size())),
        samples_(AssignSamples(table_, data.histograms, SymbolPolicy::kExact)),
        arcs_(ResolveArcs(data.arcs)),
        graph_(NodeSamples()) {
    for (const SiteArc& arc : arcs_) graph_.AddCalls(arc.caller, arc.callee, arc.count);
    graph_.Finish();
    FindCycles(graph_);
    Propagate(graph_);
  }

  // `cycles_before`: cycles of the images before this one, whose numbers are taken.
  void AppendTo(ComputedProfile& profile, Strings& strings, uint32_t cycles_before) {
    AppendSamples(profile);
    AppendFunctions(profile, strings, cycles_before);
    AppendArcs(profile, strings);
  }

  uint32_t cycle_count() const { return static_cast<uint32_t>(graph_.cycles.size()); }

  // Rows of spontaneous arcs name the end of all functions, which only the
  // caller of AppendTo knows.
  static constexpr uint32_t kSpontaneous = UINT32_MAX;

 private:
  std::vector<SiteArc> ResolveArcs(const std::vector<RawArc>& raw) {
    std::vector<SiteArc> arcs;
    arcs.reserve(raw.size());
    for (const RawArc& arc : raw) {
      if (arc.count == 0) continue;
      const uint32_t callee = FindByAddress(table_, arc.self_pc);
      if (callee == kNoFunction) {
        unresolved_calls_ += arc.count;
        continue;
      }
      // The call ends before its return address, which may be the next function's.
      const uint32_t caller =
          arc.from_pc == 0 ? kNoFunction : FindByAddress(table_, arc.from_pc - 1);
      if (caller == kNoFunction) {
        arcs.push_back({spontaneous_, 0, callee, 0, arc.count});
      } else {
        arcs.push_back({caller, arc.from_pc - table_.functions[caller].address, callee, arc.from_pc,
                        arc.count});
      }
    }
    const auto key = [](const SiteArc& arc) {
      return std::tuple(arc.caller, arc.site_offset, arc.callee);
    };
    std::sort(arcs.begin(), arcs.end(),
              [&](const SiteArc& a, const SiteArc& b) { return key(a) < key(b); });
    size_t kept = 0;
    for (size_t i = 0; i < arcs.size(); ++i) {
      if (kept > 0 && key(arcs[kept - 1]) == key(arcs[i])) {
        arcs[kept - 1].count += arcs[i].count;
      } else {
        arcs[kept++] = arcs[i];
      }
    }
    arcs.resize(kept);
    return arcs;
  }

  std::vector<double> NodeSamples() const {
    std::vector<double> samples = samples_.by_function;
    samples.push_back(0);  // the spontaneous node
    return samples;
  }

  void AppendSamples(ComputedProfile& profile) const {
    const double attributed =
        std::accumulate(samples_.by_function.begin(), samples_.by_function.end(), 0.0);
    const double lost = samples_.total - attributed;
    profile.total_samples += samples_.total;
    // Less than a millionth is rounding.
    if (lost > samples_.total * 1e-6) {
      profile.unattributed_samples += lost;
      profile.warnings.push_back(
          absl::StrFormat("%s: %.0f of %.0f samples lie in no function of the image",
                          symbols_.image_name, lost, samples_.total));
    }
    if (unresolved_calls_ > 0) {
      profile.warnings.push_back(
          absl::StrFormat("%s: %d calls went to addresses in no function of the image and are "
                          "left out",
                          symbols_.image_name, unresolved_calls_));
    }
  }

  void AppendFunctions(ComputedProfile& profile, Strings& strings, uint32_t cycles_before) {
    std::vector<bool> is_used(table_.functions.size() + 1, false);
    for (const SiteArc& arc : arcs_) is_used[arc.caller] = is_used[arc.callee] = true;
    rows_.assign(table_.functions.size() + 1, kSpontaneous);
    for (uint32_t i = 0; i < table_.functions.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      if (!is_used[i] && node.self == 0) continue;
      const TableFunction& function = table_.functions[i];
      const FunctionSymbol& symbol = *function.symbol;
      FunctionCost cost;
      cost.name = strings.Index(symbol.name);
      cost.image = strings.Index(symbols_.image_name);
      const LineRow* line = FindLine(symbols_, function.address);
      cost.line = symbol.line != 0 ? symbol.line : line != nullptr ? line->line : 0;
      cost.file = strings.Index(FileName(symbols_, symbol.file != 0  ? symbol.file
                                                   : line != nullptr ? line->file
                                                                     : 0));
      cost.size = function.end - function.address;
      cost.is_static = symbol.is_local;
      cost.calls = node.calls;
      cost.self_calls = node.self_calls;
      cost.self_samples = node.self;
      cost.child_samples = node.child;
      cost.cycle = node.cycle == 0 ? 0 : cycles_before + node.cycle;
      rows_[i] = static_cast<uint32_t>(profile.functions.size());
      profile.functions.push_back(cost);
    }
  }

  void AppendArcs(ComputedProfile& profile, Strings& strings) const {
    absl::flat_hash_map<uint64_t, const GraphArc*> by_pair;
    by_pair.reserve(graph_.arcs.size());
    for (const GraphArc& arc : graph_.arcs) {
      by_pair[uint64_t{arc.caller} << 32 | arc.callee] = &arc;
    }
    for (const SiteArc& arc : arcs_) {
      const GraphArc& whole = *by_pair.at(uint64_t{arc.caller} << 32 | arc.callee);
      const double share = static_cast<double>(arc.count) / static_cast<double>(whole.count);
      ArcCost cost;
      cost.caller = rows_[arc.caller];
      cost.callee = rows_[arc.callee];
      cost.site_offset = arc.site_offset;
      cost.count = arc.count;
      cost.self_samples = whole.self * share;
      cost.child_samples = whole.child * share;
      if (arc.return_address != 0) {
        if (const LineRow* line = FindLine(symbols_, arc.return_address - 1)) {
          cost.site_file = strings.Index(FileName(symbols_, line->file));
          cost.site_line = line->line;
        }
      }
      profile.arcs.push_back(cost);
    }
  }

  const SymbolTable& symbols_;
  const FunctionTable table_;
  const uint32_t spontaneous_;
  uint64_t unresolved_calls_ = 0;
  AssignedSamples samples_;
  std::vector<SiteArc> arcs_;  // ascending by (caller, site_offset, callee)
  CallGraph graph_;
  std::vector<uint32_t> rows_;  // by table row: row in ComputedProfile::functions
};

absl::Status AdoptRate(const RawProfile& data, ComputedProfile& profile, bool& has_rate) {
  for (const Histogram& histogram : data.histograms) {
    if (!has_rate) {
      profile.sample_rate = histogram.rate;
      profile.dimension = histogram.dimension;
      has_rate = true;
    } else if (profile.sample_rate != histogram.rate || profile.dimension != histogram.dimension) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "histograms count %g and %d samples per %s and %s: their times cannot be added; record "
          "all profiles at one rate",
          profile.sample_rate, histogram.rate, profile.dimension, histogram.dimension));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ComputedProfile> ComputeProfile(const std::vector<ImageProfile>& images,
                                               const ComputeOptions& options) {
  struct Sum {
    const SymbolTable* symbols = nullptr;
    ProfileMerger merger;
  };
  std::map<std::pair<std::string, std::string>, Sum> sums;
  for (const ImageProfile& image : images) {
    Sum& sum = sums[{image.symbols->image_name, ImageKey(*image.symbols)}];
    sum.symbols = image.symbols;
    if (absl::Status status = sum.merger.Add(image.data); !status.ok()) {
      return absl::Status(status.code(), absl::StrFormat("image %s: %s", image.symbols->image_name,
                                                         std::string(status.message())));
    }
  }

  ComputedProfile profile;
  profile.repetitions = options.repetitions;
  profile.profiles = options.profiles;
  Strings strings(profile.strings);
  bool has_rate = false;
  uint32_t cycles = 0;
  for (auto& [key, sum] : sums) {
    const RawProfile data = sum.merger.Take();
    if (absl::Status status = AdoptRate(data, profile, has_rate); !status.ok()) return status;
    ImageComputation computation(*sum.symbols, data);
    computation.AppendTo(profile, strings, cycles);
    cycles += computation.cycle_count();
  }
  // Arcs stand in order of their images; spontaneous ones come last of all.
  for (ArcCost& arc : profile.arcs) {
    if (arc.caller == ImageComputation::kSpontaneous) {
      arc.caller = static_cast<uint32_t>(profile.functions.size());
    }
  }
  std::stable_sort(profile.arcs.begin(), profile.arcs.end(),
                   [](const ArcCost& a, const ArcCost& b) {
                     return std::tuple(a.caller, a.site_offset, a.callee) <
                            std::tuple(b.caller, b.site_offset, b.callee);
                   });
  return profile;
}

}  // namespace gprofhub
