#include "analyzer/target/target_profile.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "base/status_context.h"

namespace gprofhub::analyzer {
namespace {

std::string BaseName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

double Periods(const std::vector<profile::Histogram>& histograms) {
  double sum = 0;
  for (const profile::Histogram& histogram : histograms) {
    for (const uint64_t bin : histogram.bins) sum += static_cast<double>(bin);
  }
  return sum;
}

absl::Status AddBins(const profile::Histogram& part, profile::Histogram& sum) {
  for (size_t i = 0; i < part.bins.size(); ++i) {
    if (__builtin_add_overflow(sum.bins[i], part.bins[i], &sum.bins[i])) {
      return absl::OutOfRangeError(absl::StrCat("the sum of bin ", i, " of the histogram at ",
                                                absl::Hex(part.low_pc), " exceeds 64 bits"));
    }
  }
  return absl::OkStatus();
}

// `module`'s arcs, without those from other modules, which the input contains as spontaneous ones.
std::vector<profile::RawArc> ArcsWithin(const profile::Recording& recording, uint32_t module) {
  absl::flat_hash_map<uint64_t, uint64_t> cross;  // by callee
  for (const profile::CrossArc& arc : recording.cross_arcs) {
    if (arc.to_module == module) cross[arc.self_pc] += arc.count;
  }
  std::vector<profile::RawArc> arcs = recording.modules[module].profile.arcs;
  for (profile::RawArc& arc : arcs) {
    if (arc.from_pc != 0) continue;
    const auto found = cross.find(arc.self_pc);
    if (found != cross.end()) arc.count -= std::min(arc.count, found->second);
  }
  arcs.erase(std::remove_if(arcs.begin(), arcs.end(),
                            [](const profile::RawArc& arc) { return arc.count == 0; }),
             arcs.end());
  return arcs;
}

}  // namespace

uint32_t TargetSum::ModuleOf(const std::string& name, const std::string& build_id,
                             const profile::SymbolTable* symbols) {
  const std::string& key = build_id.empty() ? name : build_id;
  const auto [row, is_new] = rows_.try_emplace(key, static_cast<uint32_t>(modules_.size()));
  if (is_new) {
    Module& module = modules_.emplace_back();
    module.name = symbols != nullptr ? symbols->image_name : name;
    module.build_id = build_id;
    module.symbols = symbols;
  } else if (modules_[row->second].symbols == nullptr) {
    modules_[row->second].symbols = symbols;
  }
  return row->second;
}

absl::Status TargetSum::AddData(profile::RawProfile profile, Module& module) {
  for (profile::Histogram& part : profile.histograms) {
    const auto [sum, is_new] = module.histograms.try_emplace(
        {part.dimension, part.rate, part.low_pc, part.high_pc, part.bins.size()},
        profile::Histogram());
    if (is_new) {
      sum->second = std::move(part);
    } else if (absl::Status status = AddBins(part, sum->second); !status.ok()) {
      return status;
    }
  }
  profile::RawProfile arcs;
  arcs.arcs = std::move(profile.arcs);
  return module.arcs.Add(std::move(arcs));
}

absl::Status TargetSum::AddProfile(const profile::SymbolTable& symbols,
                                   profile::RawProfile profile) {
  if (!profile.histograms.empty()) {
    // All of one file were sampled in the same way.
    const profile::Histogram& first = profile.histograms.front();
    Sampling& sampling = sum_.sampling[{first.dimension, first.rate}];
    const double periods = Periods(profile.histograms);
    sampling.periods += periods;
    sampling.samples += periods;
  }
  const uint32_t module = ModuleOf(symbols.image_name, symbols.build_id, &symbols);
  return AddData(std::move(profile), modules_[module]);
}

absl::Status TargetSum::AddRecording(
    const profile::Recording& recording,
    const std::function<const profile::SymbolTable*(absl::string_view)>& symbols_of) {
  std::vector<uint32_t> rows;  // by the recording's module
  for (const profile::RecordedModule& module : recording.modules) {
    rows.push_back(ModuleOf(BaseName(module.path), module.build_id, symbols_of(module.build_id)));
  }
  std::pair<std::string, uint32_t> sampled{recording.dimension, recording.rate};
  double periods = 0;
  for (uint32_t m = 0; m < rows.size(); ++m) {
    profile::RawProfile part;
    part.histograms = recording.modules[m].profile.histograms;
    part.arcs = ArcsWithin(recording, m);
    periods += Periods(part.histograms);
    if (absl::Status status = AddData(std::move(part), modules_[rows[m]]); !status.ok()) {
      return base::WithContext(status, modules_[rows[m]].name);
    }
  }
  for (const profile::CrossArc& arc : recording.cross_arcs) {
    cross_[{rows[arc.from_module], arc.from_pc, rows[arc.to_module], arc.self_pc}] += arc.count;
  }
  Sampling& sampling = sum_.sampling[sampled];
  const double overhead = static_cast<double>(recording.overhead_samples);
  const double nowhere = static_cast<double>(recording.unattributed_samples);
  periods += overhead + nowhere;
  sampling.periods += periods;
  // If a signal stands for several periods, there were fewer samples. If the number of periods
  // varies, the distribution over functions is unknown: a function may have had only the heaviest
  // signals.
  const double of_one = static_cast<double>(recording.periods) /
                        std::max(static_cast<double>(recording.samples), 1.0);
  sampling.samples +=
      periods / std::max({of_one, static_cast<double>(recording.most_periods), 1.0});
  sampling.overhead += overhead;
  sampling.nowhere += nowhere;
  sum_.calls_nowhere += recording.unattributed_calls;
  if (!recording.stacks.empty()) {
    ProcessStacks stacks{sampled.first, sampled.second, recording.stacks};
    for (profile::ModuleFrame& frame : stacks.frames) {
      frame.module = frame.module < rows.size() ? rows[frame.module] : UINT32_MAX;
    }
    sum_.stacks.push_back(std::move(stacks));
  }
  return absl::OkStatus();
}

TargetProfile TargetSum::Take() {
  std::vector<uint32_t> order(modules_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
    return std::tie(modules_[a].name, modules_[a].build_id) <
           std::tie(modules_[b].name, modules_[b].build_id);
  });
  std::vector<uint32_t> places(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    places[order[i]] = i;
    Module& module = modules_[order[i]];
    TargetModule& taken = sum_.modules.emplace_back();
    taken.name = std::move(module.name);
    taken.build_id = std::move(module.build_id);
    taken.symbols = module.symbols;
    for (auto& [key, histogram] : module.histograms) {
      taken.histograms.push_back(std::move(histogram));
    }
    taken.arcs = module.arcs.Take().arcs;
  }
  for (const auto& [key, count] : cross_) {
    const auto [from, from_pc, to, self_pc] = key;
    sum_.cross_arcs.push_back({places[from], from_pc, places[to], self_pc, count});
  }
  std::sort(sum_.cross_arcs.begin(), sum_.cross_arcs.end(),
            [](const profile::CrossArc& a, const profile::CrossArc& b) {
              return std::tie(a.from_module, a.from_pc, a.to_module, a.self_pc) <
                     std::tie(b.from_module, b.from_pc, b.to_module, b.self_pc);
            });
  const uint32_t nowhere = static_cast<uint32_t>(places.size());
  for (ProcessStacks& stacks : sum_.stacks) {
    for (profile::ModuleFrame& frame : stacks.frames) {
      frame.module = frame.module < places.size() ? places[frame.module] : nowhere;
    }
  }
  TargetProfile taken = std::move(sum_);
  *this = TargetSum();
  return taken;
}

}  // namespace gprofhub::analyzer
